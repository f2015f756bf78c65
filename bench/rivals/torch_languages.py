#!/usr/bin/env python3
"""examples/17_languages.cpp's networks in PyTorch, with its data, order of sizes and epochs: the
accuracy to be reached. The argument is a folder of word lists, /usr/share/dict unless given.
"""
import sys

import torch
from torch import nn
from torch.nn import functional as F

LONGEST, STATES, EPOCHS, BATCH = 16, 128, 5, 64
FILES = ["american-english", "ngerman", "french", "italian", "spanish"]


class ByHand(nn.Module):
    def __init__(self):
        super().__init__()
        self.letters, self.next = nn.Embedding(256, 32), nn.Linear(32 + STATES, STATES)
        self.out = nn.Linear(STATES, 5)

    def forward(self, words, lengths):
        x, h = self.letters(words), torch.zeros(len(words), STATES)
        for t in range(LONGEST):
            there = torch.tanh(self.next(torch.cat([x[:, t], h], 1)))
            h = torch.where((lengths > t)[:, None], there, h)
        return self.out(h)


class WithLstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.letters, self.lstm = nn.Embedding(256, 32), nn.LSTM(32, STATES, batch_first=True)
        self.out = nn.Linear(STATES, 5)

    def forward(self, words, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(self.letters(words), lengths, batch_first=True,
                                                   enforce_sorted=False)
        return self.out(self.lstm(packed)[1][0][0])


def read(folder):
    rows = []
    for language, name in enumerate(FILES):
        with open(f"{folder}/{name}", "rb") as file:
            words = [w for w in file.read().split() if 1 < len(w) <= LONGEST and b"'" not in w]
        for i in torch.randperm(len(words))[:20000]:
            rows.append((list(words[i].ljust(LONGEST, b"\0")), len(words[i]), language))
    order = torch.randperm(len(rows))
    return [torch.tensor(column)[order] for column in zip(*rows)]


def main():
    torch.manual_seed(1)
    data = read(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/dict")
    known = len(data[0]) * 9 // 10
    for net in (ByHand(), WithLstm()):
        optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
        steps = known // BATCH
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS * steps)
        for _ in range(EPOCHS):
            order = torch.randperm(known)
            for i in range(steps):
                words, lengths, languages = (x[order[i * BATCH:(i + 1) * BATCH]] for x in data)
                optimizer.zero_grad()
                F.cross_entropy(net(words, lengths), languages).backward()
                nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                optimizer.step()
                schedule.step()
        with torch.no_grad():
            told = net(data[0][known:], data[1][known:]).argmax(1)
        print(f"{type(net).__name__}: {100 * (told == data[2][known:]).float().mean():.1f} %", flush=True)


if __name__ == "__main__":
    main()
