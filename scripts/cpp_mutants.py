"""cpp_mutants.py - makes mutants of a C++ source: copies with one small fault each, as a slip of the pen would make it.

Reads as much C++ as that takes: tokens, the nesting of brackets, and which braces are function bodies. It relies on
clang-format for one thing: a binary operator has white space on both sides, the bracket of a template has not.
Comments, strings, preprocessor lines, code for other systems, template arguments, static_asserts, and the types and
names of declarations are left alone.
"""
import re
from dataclasses import dataclass

TOKEN = re.compile(r'''
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<string>R"(?P<delimiter>[^(\s]*)\(.*?\)(?P=delimiter)"|(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<number>\.?\d(?:[eE][+-]|['\w.])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<sign><<=|>>=|\.\.\.|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s])
''', re.VERBOSE | re.DOTALL | re.MULTILINE)

# Each operator and what it is mixed up with; only where white space shows that it is a binary one.
BINARY = {
    '<': ['<=', '>='], '<=': ['<', '>'], '>': ['>=', '<='], '>=': ['>', '<'], '==': ['!='], '!=': ['=='],
    '&&': ['||'], '||': ['&&'], '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['/'], '&': ['|'], '|': ['&'],
    '+=': ['-='], '-=': ['+='],
}
ANYWHERE = {'++': '--', '--': '++', 'true': 'false', 'false': 'true'}
PAIRS = {'(': ')', '[': ']', '{': '}'}
# What is true where the tests run; other conditions of the preprocessor count as false, code for others is not compiled.
DEFINED = {'__linux__', '__cpp_exceptions', 'SOCK_CLOEXEC'}
# A statement that begins with one of these is no call and no assignment.
NO_EXPRESSION = set('''alignas auto bool break case char class const constexpr continue default do double else enum extern
    float for friend goto if inline int long namespace private protected public return short static static_assert struct
    switch template throw try typedef typename union unsigned using void volatile while'''.split())


@dataclass(frozen=True)
class Mutant:
    file: str
    start: int
    end: int
    replacement: str
    line: int
    before: str    # the source line
    after: str     # the same with the fault
    operator: str  # what was done, such as "< -> <="

    def applied_to(self, text):
        return text[:self.start] + self.replacement + text[self.end:]


@dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int
    spaced: bool         # white space on both sides
    context: str = ''    # scope (of a namespace or class), enum, code, or init (a list of values)
    fixed: bool = False  # not to be touched
    match: int = -1      # index of the other bracket
    opens: str = ''      # of a brace: the context inside of it
    head: tuple = ()     # of a brace: the words of the statement before it


def is_active(directive, active):
    """Follows a conditional of the preprocessor; `active` is a stack of [this branch is compiled, one was already]."""
    word, rest = re.match(r'\s*#\s*(\w+)\s*(.*)', directive, re.DOTALL).groups()
    if word in ('if', 'ifdef', 'ifndef'):
        active.append([False, False])
    elif word == 'endif':
        active.pop()
    if word in ('if', 'ifdef', 'ifndef', 'elif', 'else'):
        names = re.findall(r'[A-Za-z_]\w*', rest.replace('defined', ''))
        true = any(name in DEFINED for name in names)
        negated = word == 'ifndef' or '!' in rest
        holds = word == 'else' or true != negated
        active[-1] = [holds and not active[-1][1], active[-1][1] or holds]
    return all(branch for branch, _ in active)


def tokens_of(text):
    tokens, active, compiled = [], [], True
    for found in TOKEN.finditer(text):
        if found.lastgroup == 'directive':
            compiled = is_active(found.group(), active)
        elif compiled and found.lastgroup != 'comment' and found.group('comment') is None:
            start, end = found.span()
            spaced = text[start - 1:start].isspace() and text[end:end + 1].isspace()
            kind = next(k for k in ('string', 'number', 'name', 'sign') if found.group(k) is not None)
            tokens.append(Token(kind, found.group(), start, end, spaced))
    return tokens


def match_brackets(tokens):
    stack = []
    for i, token in enumerate(tokens):
        if token.kind != 'sign':
            continue
        if token.text in PAIRS:
            stack.append(i)
        elif token.text in PAIRS.values() and stack:
            tokens[i].match = stack.pop()
            tokens[tokens[i].match].match = i


def kind_of_brace(outer, head, before):
    """What a brace opens. head: the words of the statement before it; before: the last of them."""
    if outer == 'scope':
        if 'namespace' in head:
            return 'scope'
        if 'enum' in head:
            return 'enum'
        if '(' not in head and any(word in head for word in ('class', 'struct', 'union')):
            return 'scope'
        if '(' not in head or ('=' in head and 'operator' not in head and before != ')'):
            return 'init'
        in_list = ':' in head and re.fullmatch(r'\w+', before) and before not in ('const', 'noexcept', 'override')
        return 'init' if in_list else 'code'
    if head[:1] in (['struct'], ['class'], ['union']):
        return 'scope'
    return 'code' if outer == 'code' or before in (')', 'mutable', 'noexcept') else 'init'


def find_contexts(tokens):
    """Fills in `context`, and `fixed` for what is part of a declaration."""
    stack, head = ['scope'], []
    for i, token in enumerate(tokens):
        if token.text == '}' and len(stack) > 1:
            stack.pop()
        token.context = stack[-1]
        value = '=' in head or (':' in head and ')' in head)  # of a variable, or in a constructor's list
        token.fixed = stack[-1] == 'enum' or (stack[-1] == 'scope' and not value) or \
            (head[:1] and head[0] in ('static_assert', 'using', 'typedef', 'case', 'friend'))
        if token.text == '{':
            token.opens, token.head = kind_of_brace(stack[-1], head, head[-1] if head else ''), tuple(head)
            stack.append(token.opens)
            head = []
        elif token.text in (';', '}'):
            head = []
        else:
            head.append(token.text)
            if head[-2:] in (['public', ':'], ['private', ':'], ['protected', ':'], ['default', ':']) or \
                    (head[0] == 'case' and token.text == ':'):
                head = []
            if token.text == '>' and head[0] == 'template':
                depth = head.count('<') - head.count('>') - 2 * head.count('>>')
                head = [] if depth == 0 else head
    fix_templates(tokens)


def fix_templates(tokens):
    """Template heads, template arguments that are values, and the sizes of arrays that are declared."""
    for i, token in enumerate(tokens):
        if token.text == 'template':
            depth, j = 0, i + 1
            while j < len(tokens):
                depth += {'<': 1, '>': -1, '>>': -2}.get(tokens[j].text, 0)
                tokens[j].fixed = True
                if depth <= 0:
                    break
                j += 1
        if token.kind != 'number' or i == 0 or i + 1 == len(tokens):
            continue
        before, after = tokens[i - 1], tokens[i + 1]
        if before.text == '<' and not before.spaced or after.text in ('>', '>>') and not after.spaced:
            token.fixed = True
        if before.text == '[' and i > 2 and tokens[i - 2].kind == 'name' and tokens[i - 3].kind == 'name' and \
                tokens[i - 3].text != 'return':
            token.fixed = True
        if before.text == '(' and tokens[i - 2].text == 'nanoseconds':  # nobody can see one nanosecond
            token.fixed = True


class Maker:
    def __init__(self, file, text):
        self.file, self.text = file, text
        self.tokens = tokens_of(text)
        match_brackets(self.tokens)
        find_contexts(self.tokens)
        self.mutants = []

    def add(self, start, end, replacement, operator):
        line_start = self.text.rfind('\n', 0, start) + 1
        line_end = self.text.find('\n', start)
        line_end = len(self.text) if line_end < 0 else line_end
        before = self.text[line_start:line_end].strip()
        after = (self.text[line_start:start] + replacement + self.text[min(end, line_end):line_end]).strip()
        line = self.text.count('\n', 0, start) + 1
        label, number = operator, 1
        while any(m.line == line and m.operator == label for m in self.mutants):
            number += 1
            label = f'{operator} ({number})'
        self.mutants.append(Mutant(self.file, start, end, replacement, line, before, after, label))

    def replace(self, token, replacement):
        self.add(token.start, token.end, replacement, f'{token.text} -> {replacement}')

    def make(self):
        for i, token in enumerate(self.tokens):
            if token.fixed:
                continue
            if token.text in BINARY and token.spaced:
                self.binary(i, token)
            elif token.text in ANYWHERE and token.kind != 'string':
                self.replace(token, ANYWHERE[token.text])
            elif token.text == '!' or (token.text == '-' and self.is_unary(i)):
                self.add(token.start, token.end, '', f'{token.text} removed')
            elif token.kind == 'number':
                self.number(token)
            elif token.text == '?':
                self.condition(self.start_of_condition(i), token.start)
            elif token.text in ('if', 'while') and self.tokens[i + 1].text == '(':
                self.branch(token.text, i + 1)
            elif token.text == 'return' and token.context == 'code':
                self.returned(i)
            if token.context == 'code' and self.begins_statement(i):
                self.statement(i)
        return self.mutants

    def binary(self, i, token):
        if token.text == '+' and 'string' in (self.tokens[i - 1].kind, self.tokens[i + 1].kind):
            return  # joins texts
        for other in BINARY[token.text]:
            self.replace(token, other)

    def bodies(self):
        """The outermost function bodies: (first character, last + 1, whether the function returns nothing)."""
        end = 0
        for token in self.tokens:
            if token.opens != 'code' or token.start < end:
                continue
            end = self.tokens[token.match].start
            before_arguments = token.head[:token.head.index('(')] if '(' in token.head else ()
            returns_a_value = re.search(r'\breturn\b(?!\s*;)', self.text[token.end:end])
            yield token.end, end, 'void' in before_arguments or not returns_a_value

    def is_unary(self, i):
        token, before = self.tokens[i], self.tokens[i - 1]
        follows_value = before.kind in ('number', 'string') or before.text in (')', ']') or \
            (before.kind == 'name' and before.text != 'return')
        return not follows_value and not self.text[token.end].isspace()

    def number(self, token):
        text = token.text.replace("'", '')
        if re.fullmatch(r'0+\.?0*[uUlLfF]*', text):
            self.replace(token, '1')
        elif re.search(r'[.eE]', text) and not text.lower().startswith('0x'):
            self.replace(token, f'(1.001 * {token.text})')
            self.replace(token, f'(0.999 * {token.text})')
        else:
            self.replace(token, f'({token.text} + 1)')
            self.replace(token, f'({token.text} - 1)')

    def start_of_condition(self, i):
        """Where the condition of the ?: begins whose question mark is token i."""
        stops = {'(', '[', '{', ',', ';', '}', '=', 'return', '?', ':', '<<', '+=', '-='}
        j = i - 1
        while self.tokens[j].text not in stops:
            if self.tokens[j].text in (')', ']') and self.tokens[j].match >= 0:
                j = self.tokens[j].match
            j -= 1
        return self.tokens[j + 1].start

    def condition(self, start, end):
        text = ' '.join(self.text[start:end].split())
        for value in ('true', 'false'):
            if text != value:
                self.add(start, end, value + ' ' if self.text[end:end + 1] == '?' else value, f'{text} -> {value}')

    def branch(self, word, i):
        """The condition of if or while, in brackets from token i on."""
        close = self.tokens[i].match
        inside = self.tokens[i + 1:close]
        declares = any(t.text == '=' and self.depth(t, i) == 0 for t in inside)
        start, end = self.tokens[i].end, self.tokens[close].start
        text = ' '.join(self.text[start:end].split())
        for value in ('true', 'false') if word == 'if' else ('false',):
            if declares:
                self.add(end, end, f'; {value}', f'{text} -> {value}')
            elif text != value:
                self.add(start, end, value, f'{text} -> {value}')

    def depth(self, token, opening):
        level = 0
        for other in self.tokens[opening + 1:self.tokens[opening].match]:
            if other is token:
                return level
            level += (other.text in PAIRS) - (other.text in PAIRS.values())
        return level

    def end_of_statement(self, i):
        j = i
        while j < len(self.tokens) and self.tokens[j].text != ';':
            if self.tokens[j].text in PAIRS:
                j = self.tokens[j].match
            if j < i or self.tokens[j].text == '}' and self.tokens[j].match < i:
                return None
            j += 1
        return j if j < len(self.tokens) else None

    def returned(self, i):
        end = self.end_of_statement(i)
        if end is None or end == i + 1:
            return
        value = self.text[self.tokens[i + 1].start:self.tokens[end].start]
        if value in ('true', 'false', '{}') or re.fullmatch(r'-?\d+|\w+::ok|nullptr|std::nullopt', value):
            return
        text = ' '.join(value.split())
        self.add(self.tokens[i + 1].start, self.tokens[end].start, '{}', f'return {text} -> {{}}')

    def begins_statement(self, i):
        before = self.tokens[i - 1]
        if before.text in ('{', '}', ';', 'else', 'do'):
            # Not in the head of a for loop, and not behind a list of values.
            return not self.in_round_brackets(i) and not (before.text == '{' and self.is_value_list(i - 1))
        if before.text == ')' and before.match > 0:
            return self.tokens[before.match - 1].text in ('if', 'for', 'while', 'switch')
        return False

    def in_round_brackets(self, i):
        for j in range(i - 1, -1, -1):
            if self.tokens[j].text in PAIRS and self.tokens[j].match > i:
                return self.tokens[j].text == '('
        return False

    def is_value_list(self, i):
        before = self.tokens[i - 1]
        return before.text in ('=', ',', '(', 'return', '{') and before.context != 'scope' or \
            before.kind == 'name' and before.text not in ('else', 'do', 'try', 'const', 'noexcept', 'override', 'mutable')

    def statement(self, i):
        first = self.tokens[i]
        if first.text in NO_EXPRESSION or first.text in ('}', '{', ';') or self.is_declaration(i):
            return
        end = self.end_of_statement(i)
        if end is None or end == i:
            return
        text = self.text[first.start:self.tokens[end].start]
        shown = ' '.join(text.split())
        shown = shown if len(shown) <= 40 else shown[:37] + '...'
        self.add(first.start, self.tokens[end].start, '', f'dropped {shown}')

    def is_declaration(self, i):
        """Whether a statement begins with a type and a name."""
        j = i
        while self.tokens[j].kind == 'name' and self.tokens[j + 1].text == '::':
            j += 2
        if self.tokens[j].kind != 'name':
            return False
        j += 1
        if self.tokens[j].text == '<' and not self.tokens[j].spaced:
            level = 0
            while True:
                level += {'<': 1, '>': -1, '>>': -2}.get(self.tokens[j].text, 0)
                j += 1
                if level <= 0:
                    break
        while self.tokens[j].text in ('*', '&', '&&') and not self.tokens[j].spaced:
            j += 1
        return self.tokens[j].kind == 'name'


def mutants_of(file, text):
    """All mutants of a source, in the order of its text."""
    return sorted(Maker(file, text).make(), key=lambda mutant: mutant.start)


def with_all(file, text, numbered):
    """A source that holds many mutants: each function begins with a switch on the number of the mutant that is to run.

    @param numbered  mutants by number
    @return the source, and the numbers of those that it holds; the others are not within a function
    """
    parts, held, at = [f'#line 1 "{file}"\n'], set(), 0
    for start, end, is_void in Maker(file, text).bodies():
        inside = [(n, m) for n, m in numbered.items() if start <= m.start and m.end <= end]
        if not inside:
            continue
        parts += [text[at:start], '\nswitch (MUTANT) {\n']
        for number, mutant in inside:
            body = text[start:mutant.start] + mutant.replacement + text[mutant.end:end]
            parts.append(f'case {number}: {{\n#line 1 "mutant-{number}"\n{body}\n}}{" return;" if is_void else " break;"}\n')
            held.add(number)
        line = text.count('\n', 0, start) + 1
        parts.append(f'default: break;\n}}\n#line {line} "{file}"\n')
        at = start
    return ''.join(parts) + text[at:], held


# ---- self-test

UNTOUCHED = '''
// a < b && c, 17
/* if (a < b) return 1; */
#include <vector>
#define LIMIT (a < 5 ? 1 : 2)
#if defined(_WIN32)
int elsewhere() { return 1 + 2; }
#endif
static_assert(sizeof(int) == 4 && 1 < 2);
template <int N = 3, class = std::enable_if_t<std::is_array_v<int> && !std::is_void_v<int>>>
void declared(const std::array<int, 7>& a, Thing&& b);
enum class Colour { red = 1, green = 2 };
struct Plain { int a; std::vector<std::vector<int>> b; friend bool operator==(Plain a, Plain b); };
using Row = std::array<int, 12>;
void strings() {
    const char* text = "a < b && 17 // not a comment"; const char letter = '<';
    const char* raw = R"x(if (1 < 2) return 3;)x";
    std::vector<int> list(text); char buffer[160];
}
'''

FOUND = [
    ('bool f() { return a < b; }', '< -> <=', 'bool f() { return a <= b; }'),
    ('bool f() { return a < b; }', '< -> >=', 'bool f() { return a >= b; }'),
    ('bool f() { return a == b; }', '== -> !=', 'bool f() { return a != b; }'),
    ('bool f() { return a && !b; }', '&& -> ||', 'bool f() { return a || !b; }'),
    ('bool f() { return a && !b; }', '! removed', 'bool f() { return a && b; }'),
    ('bool f() { return true; }', 'true -> false', 'bool f() { return false; }'),
    ('int f() { return a + b; }', '+ -> -', 'int f() { return a - b; }'),
    ('int f() { return -a; }', '- removed', 'int f() { return a; }'),
    ('int f() { return a; }', 'return a -> {}', 'int f() { return {}; }'),
    ('int f() { return g(a, 4); }', '4 -> (4 + 1)', 'int f() { return g(a, (4 + 1)); }'),
    ('int f() { return a ? b : c; }', 'a -> true', 'int f() { return true ? b : c; }'),
    ('void f() { ++i; g(i); }', '++ -> --', 'void f() { --i; g(i); }'),
    ('void f() { ++i; g(i); }', 'dropped g(i)', 'void f() { ++i; ; }'),
    ('void f() { a.b = c; }', 'dropped a.b = c', 'void f() { ; }'),
    ('void f() { if (a) g(); }', 'a -> false', 'void f() { if (false) g(); }'),
    ('void f() { if (a) g(); }', 'dropped g()', 'void f() { if (a) ; }'),
    ('void f() { if (auto e = g()) h(e); }', 'auto e = g() -> true', 'void f() { if (auto e = g(); true) h(e); }'),
    ('void f() { while (a) g(); }', 'a -> false', 'void f() { while (false) g(); }'),
    ('void f() { for (int i = 0; i < n; ++i) g(); }', '0 -> 1', 'void f() { for (int i = 1; i < n; ++i) g(); }'),
    ('constexpr double limit = 0.5;', '0.5 -> (1.001 * 0.5)', 'constexpr double limit = (1.001 * 0.5);'),
    ('struct A { bool b = false; };', 'false -> true', 'struct A { bool b = true; };'),
    ('struct A { A() : b(1) { c(); } };', '1 -> (1 + 1)', 'struct A { A() : b((1 + 1)) { c(); } };'),
    ('struct A { A() : b(1) { c(); } };', 'dropped c()', 'struct A { A() : b(1) { ; } };'),
    ('constexpr K k[] = {{"", [](S& s) { s.a = 1; }}};', 'dropped s.a = 1', 'constexpr K k[] = {{"", [](S& s) { ; }}};'),
    ('#if defined(__linux__)\nint a = 1;\n#else\nint b = 2;\n#endif', '1 -> (1 + 1)',
     '#if defined(__linux__)\nint a = (1 + 1);\n#else\nint b = 2;\n#endif'),
]


def self_test():
    """@return what is wrong, one text for each fault"""
    faults = [f'touched: {m.before}  [{m.operator}]' for m in mutants_of('', UNTOUCHED)]
    for text, operator, wanted in FOUND:
        made = {m.operator: m.applied_to(text) for m in mutants_of('', text)}
        if made.get(operator) != wanted:
            faults.append(f'{text}  [{operator}] gives {made.get(operator)}; all: {list(made)}')
    declarations = mutants_of('', 'void f() { const int a = b; Type c(d); Type& e = g; std::vector<int> h; }')
    faults += [f'dropped a declaration: {m.operator}' for m in declarations]
    return faults + self_test_of_with_all()


def self_test_of_with_all():
    text = 'int a = 1;\nint f() { return b + c; }\nvoid g() { h(); }\n'
    numbered = dict(enumerate(mutants_of('x.cpp', text), 1))
    source, held = with_all('x.cpp', text, numbered)
    outside = {n for n, m in numbered.items() if m.line == 1}
    faults = [] if held == numbered.keys() - outside and outside else ['held: ' + str(held)]
    for number, mutant in numbered.items():
        body = mutant.applied_to(text).splitlines()[mutant.line - 1].partition('{')[2].rpartition('}')[0].strip()
        if number in held and not re.search(rf'case {number}: {{\n#line 1 "mutant-{number}"\n {re.escape(body)} *\n}}', source):
            faults.append(f'{mutant.operator} is not in: {source}')
    if '} return;\n' not in source.partition('void g')[2] or '} return;' in source.partition('void g')[0]:
        faults.append('a function that returns nothing has to end behind its mutant, others never: ' + source)
    return faults
