#!/usr/bin/env python3
"""Reads what tests/tensorboard/write.cpp has written with the tensorboard package.

check.py WRITER runs the writer into a temporary folder; exit code 77 where the package is missing.
"""
import struct
import subprocess
import sys
import tempfile
import zlib

try:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.backend.event_processing import event_file_loader
    from tensorboard.plugins.hparams import plugin_data_pb2
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
import pathlib


def pixels(png):
    """Width, height, channels and bytes of an unfiltered 8-bit PNG, with every checksum checked."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, data, header = 8, b"", None
    while at < len(png):
        size, name = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + size]
        assert struct.unpack(">I", png[at + 8 + size:at + 12 + size])[0] == zlib.crc32(name + body)
        header = body if name == b"IHDR" else header
        data += body if name == b"IDAT" else b""
        at += 12 + size
    width, height, depth, colour = struct.unpack(">IIBB", header[:10])
    assert depth == 8
    channels = {0: 1, 2: 3, 6: 4}[colour]
    rows, stride = zlib.decompress(data), width * channels + 1
    assert len(rows) == stride * height
    assert all(rows[i * stride] == 0 for i in range(height))
    return width, height, channels, b"".join(rows[i * stride + 1:(i + 1) * stride] for i in range(height))


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.argv[1], folder], check=True)
    run = EventAccumulator(folder, size_guidance={"tensors": 0})
    run.Reload()
    # The accumulator gives old-style scalars, histograms and images as they are, others as tensors.
    tags = run.Tags()
    assert set(tags["scalars"]) == {"loss", "negative", "accuracy"}, tags
    assert [(e.step, e.value) for e in run.Scalars("loss")] == \
        [(i, struct.unpack("f", struct.pack("f", 1 / (1 + i)))[0]) for i in range(10)]
    assert [(e.step, e.value) for e in run.Scalars("negative")] == [(-1, -1)]

    (event,) = run.Histograms("weights")
    h = event.histogram_value
    assert (event.step, h.min, h.max, h.num, h.sum) == (3, -50, 49, 100, -50), h
    assert h.sum_squares == sum((i - 50) ** 2 for i in range(100))
    assert h.bucket == [10] * 10 and len(h.bucket_limit) == 10 and h.bucket_limit[-1] == 49, h

    (event,) = run.Images("picture")
    width, height, channels, data = pixels(event.encoded_image_string)
    assert (event.step, event.width, event.height) == (4, 3, 2) == (4, width, height)
    assert channels == 3 and data == bytes(c * 6 + y * 3 + x for y in range(2) for x in range(3) for c in range(3))
    (event,) = run.Images("grey")
    assert pixels(event.encoded_image_string) == (3, 1, 1, bytes([0, 128, 255]))

    assert run.Tensors("notes")[0].tensor_proto.string_val[0].decode() == "**bold** é"
    assert run.SummaryMetadata("notes").plugin_data.plugin_name == "text"

    # TensorBoard itself goes through this loader, which also brings old data into its newer form.
    plugin = {}
    for path in pathlib.Path(folder).iterdir():
        for event in event_file_loader.EventFileLoader(str(path)).Load():
            for value in event.summary.value:
                if value.metadata.plugin_data.plugin_name == "hparams":
                    plugin[value.tag] = plugin_data_pb2.HParamsPluginData.FromString(
                        value.metadata.plugin_data.content)
    start = plugin["_hparams_/session_start_info"].session_start_info
    found = {name: getattr(v, v.WhichOneof("kind")) for name, v in start.hparams.items()}
    assert found == {"lr": 0.001, "layers": 3.0, "optimizer": "adamw", "fused": True}, found
    experiment = plugin["_hparams_/experiment"].experiment
    assert {i.name: i.type for i in experiment.hparam_infos} == \
        {"lr": 3, "layers": 3, "optimizer": 1, "fused": 2}
    assert [m.name.tag for m in experiment.metric_infos] == ["accuracy"]
    assert plugin["_hparams_/session_end_info"].session_end_info.status == 1
print("tensorboard reads scalars, histograms, images, texts and hyper-parameters")
