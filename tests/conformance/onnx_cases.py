"""ONNX's backend node tests as a file that the runner reads: graphs, inputs, what is expected."""
import struct
import warnings

import numpy as np

# What stays out, by the kind of its values or its operator.
CONTROL = {"If", "Loop", "Scan", "SequenceMap"}
MODELS = {"LabelEncoder", "TreeEnsemble", "Binarizer", "ArrayFeatureExtractor"}
RANDOM = ("test_bernoulli", "test_training_dropout_default", "test_training_dropout")


def integer(x):
    return struct.pack("<q", int(x))


def number(x):
    return struct.pack("<d", float(x))


def string(s):
    data = s.encode() if isinstance(s, str) else s
    return integer(len(data)) + data


def tensor(x):
    """An array; types that NumPy lacks, by ml_dtypes, as a byte an element (bfloat16 as it is)."""
    x = np.asarray(x)
    name = x.dtype.name
    name = {"float8_e4m3fn": "float8e4m3fn", "float8_e4m3fnuz": "float8e4m3fnuz",
            "float8_e5m2": "float8e5m2", "float8_e5m2fnuz": "float8e5m2fnuz",
            "float4_e2m1fn": "float4e2m1", "float8_e8m0fnu": "float8e8m0"}.get(name, name)
    if x.dtype.kind not in "biufcV" or x.dtype.kind == "V" and x.dtype.itemsize > 2:
        raise Out(f"{name} elements" if x.dtype.kind not in "OUST" else "strings")
    if x.ndim > 8:
        raise Out("more than 8 axes")
    data = np.ascontiguousarray(x)
    return string(name) + integer(x.ndim) + b"".join(map(integer, x.shape)) + data.tobytes()


class Out(Exception):
    """A case that weft has no spelling of, and why."""


def attribute(a, onnx):
    kinds = onnx.AttributeProto
    if a.type == kinds.INT:
        return string("i") + integer(1) + integer(a.i)
    if a.type == kinds.INTS:
        return string("I") + integer(len(a.ints)) + b"".join(map(integer, a.ints))
    if a.type == kinds.FLOAT:
        return string("f") + integer(1) + number(a.f)
    if a.type == kinds.FLOATS:
        return string("F") + integer(len(a.floats)) + b"".join(map(number, a.floats))
    if a.type == kinds.STRING:
        return string("s") + string(a.s)
    if a.type == kinds.STRINGS:
        return string("s") + string(b"\n".join(a.strings))
    if a.type == kinds.TENSOR:
        return string("T") + tensor(onnx.numpy_helper.to_array(a.t))
    if a.type in (kinds.GRAPH, kinds.GRAPHS):
        raise Out("control flow")
    raise Out("attributes of another kind")


def encode(case, onnx):
    """The bytes of one case."""
    graph = case.model.graph
    version = {o.domain: o.version for o in case.model.opset_import}
    for value in list(graph.input) + list(graph.output):
        kind = value.type.WhichOneof("value")
        if kind != "tensor_type":
            raise Out({"sequence_type": "sequences", "optional_type": "optional values"}.get(kind, kind))
        if value.type.tensor_type.elem_type == onnx.TensorProto.STRING:
            raise Out("strings")
    nodes = []
    for node in graph.node:
        if node.op_type in CONTROL or node.op_type.startswith(("Sequence", "Optional")):
            raise Out("sequences, optional values and control flow")
        if node.domain == "ai.onnx.ml" or node.op_type in MODELS:
            raise Out("classic machine learning")
        if node.op_type == "ImageDecoder":
            raise Out("image codecs")
        nodes.append(string(node.op_type) + integer(version.get(node.domain, 0)) +
                     integer(len(node.attribute)) +
                     b"".join(string(a.name) + attribute(a, onnx) for a in node.attribute) +
                     integer(len(node.input)) + b"".join(map(string, node.input)) +
                     integer(len(node.output)) + b"".join(map(string, node.output)))
    inputs, outputs = case.data_sets[0]

    def array(x):
        if isinstance(x, onnx.TensorProto):
            return onnx.numpy_helper.to_array(x)
        if isinstance(x, (list, dict)) or x is None:
            raise Out("sequences")
        return np.asarray(x)

    def named(infos, arrays):
        pairs = [(i.name, array(a)) for i, a in zip(infos, arrays)]
        return integer(len(pairs)) + b"".join(string(n) + tensor(a) for n, a in pairs)

    constants = [(t.name, onnx.numpy_helper.to_array(t)) for t in graph.initializer]
    names = {n for n, _ in constants}
    infos = [i for i in graph.input if len(inputs) == len(graph.input) or i.name not in names]
    pairs = constants + [(i.name, array(a)) for i, a in zip(infos, inputs)]
    values = integer(len(pairs)) + b"".join(string(n) + tensor(a) for n, a in pairs)
    random = case.name.startswith(RANDOM) and "zero_ratio" not in case.name
    return (string(case.name) + number(case.rtol) + number(case.atol) + integer(random) +
            integer(len(nodes)) + b"".join(nodes) + values + named(graph.output, outputs))


def write(path, expanded_path=None, only=None):
    """Writes the cases and gives the ones left out as (name, reason); bodies of functions apart."""
    import onnx
    from onnx import numpy_helper  # noqa: F401, makes onnx.numpy_helper
    warnings.simplefilter("ignore")
    np.random.seed(0)
    from onnx.backend.test.case.node import collect_testcases
    out, files = [], {path: [], expanded_path: []}
    for case in collect_testcases(None):
        expanded = "_expanded" in case.name
        if (expanded and not expanded_path) or (only and not only(case)):
            continue
        try:
            files[expanded_path if expanded else path].append(encode(case, onnx))
        except Out as reason:
            out.append((case.name, str(reason)))
    for name, cases in files.items():
        if name:
            with open(name, "wb") as file:
                file.write(string("weft cases 1") + integer(len(cases)) + b"".join(cases))
    return out


if __name__ == "__main__":
    import sys
    for name, reason in write(*sys.argv[1:3]):
        print(f"{name}\tnot expressible\t{reason}")
