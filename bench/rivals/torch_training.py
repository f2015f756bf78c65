"""PyTorch's steps for the cases of bench/training.cu: what each case's step is, ready to be timed."""
import torch


def weights():
    """As many tensors and weights as there."""
    shapes = [shape for i in range(47) for shape in ((16 * (1 + i % 12), 304), (16 * (1 + i % 12),),
                                                     (16 * (1 + i % 12),))]
    return [torch.rand(shape, device="cuda").requires_grad_() for shape in [*shapes, (10, 1024)]]


def adamw():
    parameters = weights()
    for p in parameters:
        p.grad = torch.rand_like(p)
    return torch.optim.AdamW(parameters, lr=1e-3, weight_decay=1e-2, fused=True).step


def mlp(graphed):
    """784-512-512-10 in batches of 256, with Adam and TF32; as one CUDA graph where asked."""
    torch.backends.cuda.matmul.allow_tf32 = True
    net = torch.nn.Sequential(torch.nn.Linear(784, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512),
                              torch.nn.ReLU(), torch.nn.Linear(512, 10)).cuda()
    x, y = torch.rand(256, 784, device="cuda"), torch.arange(256, device="cuda") % 10
    optimizer = torch.optim.Adam(net.parameters(), capturable=graphed, fused=graphed)

    def step():
        optimizer.zero_grad(set_to_none=not graphed)
        loss = torch.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    if not graphed:
        return step
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


STEPS = {"adamw_142": adamw, "adamw_142_arena": adamw, "mlp": lambda: mlp(False),
         "mlp_arena": lambda: mlp(False), "mlp_graphed": lambda: mlp(True),
         "mlp_graphed_arena": lambda: mlp(True)}
