import { functionNames } from './functions.ts';
import { tokensOf } from './lexer.ts';

/** Condition of a PromQL selector on one label, such as `code!="OK"`. */
export interface Matcher {
  label: string;
  op: '=' | '!=' | '=~' | '!~';
  text: string;
}

/** Node of the syntax tree of a PromQL expression. */
export type Node =
  | { kind: 'number'; value: number }
  | { kind: 'selector'; name: string; matchers: Matcher[]; rangeMs?: number }
  | { kind: 'call'; name: string; args: Node[] }
  | { kind: 'aggregate'; op: string; by?: string[]; without?: string[]; arg: Node }
  | { kind: 'binary'; op: string; on?: string[]; left: Node; right: Node };

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const AGGREGATES = ['sum', 'max', 'min', 'avg', 'count'];
/** Precedence of the binary operators. An operator with a higher number binds its operands first. */
const PRECEDENCE: Record<string, number> = {
  or: 1,
  and: 2,
  unless: 2,
  '==': 3,
  '!=': 3,
  '<': 3,
  '>': 3,
  '<=': 3,
  '>=': 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
};

class Parser {
  readonly #tokens: readonly string[];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokensOf(text);
  }

  whole(): Node {
    const node = this.#expression(0);
    if (this.#at < this.#tokens.length) this.#fail(`"${this.#peek()}" is left over`);
    return node;
  }

  #fail(why: string): never {
    throw new Error(`${why} in ${this.#text}`);
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? '';
  }

  #take(expected?: string): string {
    const token = this.#peek();
    if (token === '' || (expected !== undefined && token !== expected)) {
      this.#fail(`found "${token}" where "${expected ?? 'more'}" should be`);
    }
    this.#at++;
    return token;
  }

  #expression(above: number): Node {
    let left = this.#operand();
    for (;;) {
      const op = this.#peek();
      const precedence = Object.hasOwn(PRECEDENCE, op) ? (PRECEDENCE[op] ?? 0) : 0;
      if (precedence <= above) return left;
      this.#take();
      let on: string[] | undefined;
      if (this.#peek() === 'on') {
        this.#take();
        on = this.#names();
      }
      const right = this.#expression(precedence);
      left = { kind: 'binary', op, left, right, ...(on && { on }) };
    }
  }

  #operand(): Node {
    const token = this.#take();
    if (token === '(') {
      const node = this.#expression(0);
      this.#take(')');
      return node;
    }
    if (token === '-') return { kind: 'number', value: -this.#number(this.#take()) };
    if (/^\d/.test(token)) return { kind: 'number', value: this.#number(token) };
    if (!/^[a-zA-Z_:]/.test(token)) this.#fail(`found "${token}" where a metric should be`);
    if (AGGREGATES.includes(token)) return this.#aggregate(token);
    if (this.#peek() !== '(') return this.#selector(token);
    this.#take('(');
    const args: Node[] = [];
    while (this.#peek() !== ')') {
      args.push(this.#expression(0));
      if (this.#peek() === ',') this.#take();
    }
    this.#take(')');
    if (!functionNames.includes(token)) this.#fail(`${token}() is not known here`);
    return { kind: 'call', name: token, args };
  }

  #number(token: string): number {
    const value = Number(token);
    if (Number.isNaN(value)) this.#fail(`"${token}" is no number`);
    return value;
  }

  #aggregate(op: string): Node {
    const grouping = () => {
      const how = this.#peek();
      if (how !== 'by' && how !== 'without') return {};
      this.#take();
      return { [how]: this.#names() };
    };
    const before = grouping();
    this.#take('(');
    const arg = this.#expression(0);
    this.#take(')');
    return { kind: 'aggregate', op, arg, ...before, ...grouping() };
  }

  #names(): string[] {
    const names: string[] = [];
    this.#take('(');
    while (this.#peek() !== ')') {
      names.push(this.#take());
      if (this.#peek() === ',') this.#take();
    }
    this.#take(')');
    return names;
  }

  #selector(name: string): Node {
    const matchers: Matcher[] = [];
    if (this.#peek() === '{') {
      this.#take();
      while (this.#peek() !== '}') {
        const label = this.#take();
        const op = this.#take() as Matcher['op'];
        if (!['=', '!=', '=~', '!~'].includes(op)) this.#fail(`"${op}" matches nothing`);
        matchers.push({ label, op, text: JSON.parse(this.#take()) });
        if (this.#peek() === ',') this.#take();
      }
      this.#take('}');
    }
    if (this.#peek() !== '[') return { kind: 'selector', name, matchers };
    this.#take('[');
    const amount = this.#number(this.#take());
    const unit = UNIT_MS[this.#take()] ?? this.#fail('no such unit of time');
    this.#take(']');
    return { kind: 'selector', name, matchers, rangeMs: amount * unit };
  }
}

/** Parses a PromQL expression. Throws if the expression uses syntax or a function that gsq does not use. */
export function parseExpression(text: string): Node {
  return new Parser(text).whole();
}
