"""A statement: its operands, named intermediates and results, and what it must move at least."""
import hashlib

from expressions import TYPES, VIEWS, Node, cast, named, operand, say, walk



class Statement:
    """`results` are (name, expression); a name that is an operand's is written in place."""

    def __init__(self, family, operands, results, lets=(), differentiable=False):
        self.family, self.operands, self.results, self.lets = family, operands, results, list(lets)
        self.differentiable = differentiable and len(results) == 1 and results[0][1].type != "bool"
        self.names = [x.more["name"] for x in operands]
        self.backward = False

    def name_apart(self):
        """Gives lines whose name an operand has another one: `auto h = ... h ...` is no C++."""
        taken = set(self.names) | {name for name, _ in [*self.lets, *self.results]}
        nodes = [node for e in [e for _, e in [*self.lets, *self.results]] for node in walk(e)]
        for k, (name, e) in enumerate(self.lets):
            if name not in self.names:
                continue
            other = next(f"{name}{i}" for i in range(2, 99) if f"{name}{i}" not in taken)
            taken.add(other)
            self.lets[k] = (other, e)
            for node in nodes:
                if node.op == "name" and node.parts[0] is e:
                    node.more["name"] = other

    def share(self):
        """Gives a name to what is used twice, as anyone would who writes it."""
        uses, seen = {}, []

        def count(node):
            seen.append(node)  # keeps it alive, so that its id stays its own
            uses[id(node)] = uses.get(id(node), 0) + 1
            if uses[id(node)] == 1 and node.op != "name":
                for part in node.parts:
                    count(part)

        for _, e in [*self.lets, *self.results]:
            count(e)
        lets, made = [], {}

        def rewrite(node, top=False):
            if node.op in ("operand", "number", "name"):
                return node
            if id(node) in made:
                return made[id(node)]
            new = Node(node.op, [rewrite(p) for p in node.parts], node.shape, node.type, node.span, **node.more)
            if uses[id(node)] > 1 and not top:
                taken = {name for name, _ in [*self.lets, *self.results, *lets]} | set(self.names)
                name = next(t for t in ("t", *(f"t{k}" for k in range(2, 99))) if t not in taken)
                lets.append((name, new))
                new = made[id(node)] = named(name, new)
            return new

        for name, e in self.lets:
            new = rewrite(e, True)  # what it needs goes before it
            lets.append((name, new))
        self.results = [(name, rewrite(e)) for name, e in self.results]
        self.lets = lets

    def made(self):
        """The results that are new tensors, not operands."""
        return [(name, e) for name, e in self.results if name not in self.names]

    def lines(self, language, wide=False):
        return [(name, say(e, language, wide)) for name, e in self.lets]

    def values(self, language, wide=False):
        return [say(e, language, wide) for _, e in self.results]

    def learned(self):
        """The operands that the backward pass gives gradients for."""
        return [x for x in self.operands if x.type in ("float32", "float64", "float16", "bfloat16")]

    def text(self):
        """The statement as a user of weft writes it."""
        lets = [f"auto {name} = {e};" for name, e in self.lines("weft")]
        values = self.values("weft")
        names = [name for name, _ in self.results]
        last = f"{names[0]} = {values[0]}" if len(names) == 1 else \
            f"tie({', '.join(names)}) = fuse({', '.join(values)})"
        return " ".join([*lets, last + (", and its gradients" if self.backward else "")]).replace(
            "weft::", "").replace("std::int", "int").replace("std::uint", "uint")

    def shapes(self):
        return ", ".join(f"{x.more['name']} {x.type} {tuple(x.shape)}".replace(",)", ")") for x in self.operands)

    def bytes(self):
        """What must be read and written at least: what views and gathers leave out is not counted."""
        read, seen = {}, set()

        def touch(node, most):
            if node.op == "operand":
                name = node.more["name"]
                read[name] = min(node.size, read.get(name, 0) + min(most, node.size))
            elif node.op == "name":
                if node.more["name"] not in seen:
                    seen.add(node.more["name"])
                    touch(node.parts[0], most)
            elif node.op in ("take", "gather"):
                touch(node.parts[0], node.size)
                touch(node.parts[1], node.parts[1].size)
            elif node.op in VIEWS:
                touch(node.parts[0], min(most, node.size))
            else:
                for part in node.parts:
                    touch(part, part.size)

        for _, e in self.results:
            touch(e, e.size)
        width = {x.more["name"]: TYPES[x.type][0] for x in self.operands}
        total = sum(n * width[name] for name, n in read.items())
        written = sum(e.size * TYPES[e.type][0] for _, e in self.results)
        if self.backward:  # once more the operands, the result's gradient, and the gradients
            written += written + total + sum(x.size * width[x.more["name"]] for x in self.learned())
        return total + written

    def uses(self, ops):
        return any(node.op in ops for e in [e for _, e in [*self.lets, *self.results]] for node in walk(e))

    def with_gradients(self):
        """The same, forward and backward."""
        self.backward = True
        return self

    def result_types(self):
        """(name, element type) of all that is checked, in the order in which both sides give it."""
        found = [(name, e.type) for name, e in self.results]
        return found + [(f"gradient of {x.more['name']}", x.type) for x in self.learned()] * self.backward

    def torch_source(self, wide=False):
        return self._python("torch", wide)

    def numpy_source(self):
        return self._python("numpy", True)

    def _python(self, language, wide):
        body = [f"{name} = {e}" for name, e in self.lines(language, wide)]
        values = self.values(language, wide)
        names = [name for name, _ in self.results]
        in_place = [n for n in names if n in self.names]
        if in_place and language == "torch":
            body += [f"new_{n} = {v}" for n, v in zip(names, values)]
            body += [f"{n}.copy_(new_{n})" for n in in_place]
            body.append(f"return ({', '.join(n if n in self.names else 'new_' + n for n in names)},)")
        else:
            if values and language == "torch" and self.results[0][1].op in VIEWS:
                values = [f"{v}.contiguous()" if v[-1] == ")" or v[-1] == "]" else v for v in values]
            body.append(f"return ({', '.join(values)},)")
        return f"def statement({', '.join(self.names)}):\n" + "".join(f"    {line}\n" for line in body)

    def as_message(self, case):
        """What the process with the rivals has to know."""
        return {"case": case, "torch": self.torch_source(), "wide": self.torch_source(True),
                "numpy": self.numpy_source(), "backward": self.backward,
                "fresh": any(name in self.names for name, _ in self.results),
                "learned": [x.more["name"] for x in self.learned()] if self.backward else [],
                "gradient": list(self.results[0][1].shape), "type": self.results[0][1].type,
                "operands": [{"name": x.more["name"], "shape": list(x.shape), "type": x.type,
                              "kind": x.more["kind"], "bound": x.more["bound"]} for x in self.operands]}

    def key(self):
        """The same for equal statements over equal shapes."""
        return hashlib.sha1((self.text() + self.shapes()).encode()).hexdigest()[:12]


class Operands:
    """Makes operands in turn, under names that say a little."""

    def __init__(self):
        self.all = []

    def __call__(self, name, shape, type="float32", kind="centred", bound=0, to=None):
        taken = {x.more["name"] for x in self.all}
        if name in taken:
            name = next(f"{name}{k}" for k in range(2, 99) if f"{name}{k}" not in taken)
        self.all.append(operand(name, tuple(int(n) for n in shape), type, kind, bound))
        return cast(self.all[-1], to) if to else self.all[-1]
