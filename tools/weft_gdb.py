"""gdb shows weft's tensors, shapes and Vars by their values, expressions by their formulas: `source tools/weft_gdb.py` in gdb.

Elements on a GPU, and those of a tensor without storage, are not read: their shape and address are
shown. At most `set print elements` elements are listed, row by row.
"""
import gdb
import gdb.printing

DEVICES = {"weft::Cpu": "cpu", "weft::Cuda": "cuda"}


def numbers(int64s):
    """The values of a weft::detail::Int64s."""
    rank = int(int64s["rank_"])
    return [int(int64s["values_"][i]) for i in range(max(0, min(rank, 8)))]


def tuple_text(values):
    return "(" + ", ".join(map(str, values)) + (",)" if len(values) == 1 else ")")


class ShapePrinter:
    """Shape (2, 3)."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return tuple_text(numbers(self.value))


def half_value(element):
    """The number that a half or bfloat16 stands for."""
    import struct
    bits = int(element["bits"]) & 0xFFFF
    if element.type.strip_typedefs().unqualified().name.endswith("bfloat16"):
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    return struct.unpack("<e", struct.pack("<H", bits))[0]


class TensorPrinter:
    """tensor(float, cpu) of shape (2, 3), and its elements."""

    def __init__(self, value):
        self.value = value
        self.element = value.type.template_argument(0).strip_typedefs()
        device = value.type.template_argument(1).strip_typedefs().name
        self.device = DEVICES.get(device, device.replace("weft::CudaAt<", "cuda:").rstrip(">"))
        self.shape = numbers(value["shape_"])
        self.strides = numbers(value["strides_"])

    def size(self):
        size = 1
        for n in self.shape:
            size *= n
        return size

    def to_string(self):
        storage = self.value["storage_"]["storage_"]
        device = self.device
        if device == "cuda" and int(storage) != 0:
            device = f"cuda:{int(storage['ordinal'])}"
        text = f"tensor of shape {tuple_text(self.shape)}, {self.element}, {device}"
        if self.device != "cpu" and int(self.value["data_"]["at_"]) != 0:
            text += f", at {hex(int(self.value['data_']['at_']))}"
        return text

    def children(self):
        data = self.value["data_"]["at_"]
        if self.device != "cpu" or int(data) == 0:
            return
        limit = gdb.parameter("print elements") or self.size()
        for number in range(min(self.size(), limit + 1)):
            place, left, index = 0, number, []
            for n, stride in zip(reversed(self.shape), reversed(self.strides)):
                left, i = divmod(left, n)
                place += i * stride
                index.insert(0, i)
            element = (data + place).dereference()
            if str(self.element.unqualified()) in ("weft::half", "weft::bfloat16"):
                element = half_value(element)
            yield "(" + ", ".join(map(str, index)) + ")", element

    def display_hint(self):
        return None


class VarPrinter:
    """Var with or without a gradient, and its value."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "Var"

    def children(self):
        yield "value", self.value["value_"]
        yield "variable", self.value["variable_"]


class AnyTensorPrinter:
    """AnyTensor float32 of shape (2, 3)."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        dtype = str(self.value["dtype_"]).rsplit("::", 1)[-1]
        where = "cpu" if int(self.value["to_cpu_"]) == 0 else "cuda"
        return f"AnyTensor of shape {tuple_text(numbers(self.value['shape_']))}, {dtype}, {where}"


def short_name(kind):
    """add of weft::op::add, Gather of weft::Gather<...>."""
    return kind.strip_typedefs().unqualified().name.split("<")[0].rsplit("::", 1)[-1]


def formula(value):
    """A part of an expression: add(float (2, 3), sum(float (2, 3)))."""
    if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        value = value.referenced_value()
    kind = value.type.strip_typedefs().unqualified()
    name = short_name(kind)
    if name == "Scalar":
        return str(value["value"])
    if name == "Tensor":
        return f"{kind.template_argument(0)} {tuple_text(numbers(value['shape_']))}"
    if name == "Var":
        return "Var " + formula(value["value_"])
    if name == "Reduce":
        return f"{short_name(kind.template_argument(0))}({formula(value['operand_'])})"
    if name != "Map":
        return f"{name}(...)"
    arguments, pack = [], value["args_"]
    while "head" in [field.name for field in pack.type.strip_typedefs().fields()]:
        arguments.append(formula(pack["head"]))
        pack = pack["tail"]
    return f"{short_name(kind.template_argument(1))}({', '.join(arguments)})"


class ExpressionPrinter:
    """expression mul(float (2, 3), 2): the formula, with its operands' types and shapes."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "expression " + formula(self.value)


class TextPrinter:
    """weft::Text as its characters."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        data = self.value["data_"]
        return data.string(length=int(self.value["size_"])) if int(data) else ""

    def display_hint(self):
        return "string"


def printers():
    found = gdb.printing.RegexpCollectionPrettyPrinter("weft")
    found.add_printer("Tensor", r"^weft::Tensor<.*>$", TensorPrinter)
    found.add_printer("Var", r"^weft::Var<.*>$", VarPrinter)
    found.add_printer("AnyTensor", r"^weft::AnyTensor$", AnyTensorPrinter)
    found.add_printer("Shape", r"^weft::(Shape|Strides|detail::Int64s|detail::Held<.*>)$", ShapePrinter)
    found.add_printer("expression", r"^weft::(Map|Reduce)<.*>$", ExpressionPrinter)
    found.add_printer("Text", r"^weft::Text$", TextPrinter)
    return found


gdb.printing.register_pretty_printer(None, printers(), replace=True)
