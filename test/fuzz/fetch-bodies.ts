import { mutate, type Random } from './mutations.ts';

/**
 * Addresses that cannot belong to a server of other people: documentation networks, loopback, reserved names (RFC 2606,
 * RFC 6761) and invalid addresses.
 */
const ADDRESSES = [
  '192.0.2.1:27015',
  '198.51.100.7:1024',
  '203.0.113.9:65535',
  '[2001:db8::1]:27015',
  '[::1]:27015',
  '[::ffff:127.0.0.1]:27015',
  '127.0.0.1:27015',
  '127.0.7.7:25565',
  'no-such.invalid:27015',
  '::1:27015',
  '256.1.1.1:1',
  '192.0.2:1',
  '0x7f.1:80',
  '127.0.0.1:0',
  '127.0.0.1:65536',
  '127.0.0.1:-1',
  '127.0.0.1',
  ':27015',
  '',
  ' ',
  'nonsense',
  '__proto__',
  'constructor',
  'toString',
  '_meta',
  '_updater',
  '"quoted"',
  '\\',
  '\u0000',
  '\ud83d\ude00.invalid:1',
  'ä.invalid:27015',
  '<script>alert(1)</script>',
  `${'a'.repeat(300)}.invalid:1`,
  'x'.repeat(5000),
];

const GAMES = ['csgo', 'minecraft', 'rust', 'nogame', '', '__proto__', 'constructor', 'g'.repeat(500)];

/** JSON keys with a special meaning in JavaScript or in gsq. */
const KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'servers', 'game_id', 'length', '', 'x'];

const VALUES = [
  'null',
  'true',
  '0',
  '-0',
  '1e999',
  '""',
  '[]',
  '{}',
  '{"servers":[]}',
  '[[]]',
  '"\\ud800"',
  '"\\u0000"',
  '99999999999999999999',
  '{"__proto__":{"servers":[]}}',
];

export function pick<T>(from: readonly T[], random: Random): T {
  return from[random(from.length)] as T;
}

function text(value: string, random: Random): string {
  const json = JSON.stringify(value);
  // Writes the string in another JSON spelling, with a `\u` escape for every character.
  if (random(6) === 0 && value.length < 100) {
    const units = Array.from({ length: value.length }, (_, i) => value.charCodeAt(i));
    return `"${units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
  }
  return json;
}

const space = (random: Random): string => (random(8) === 0 ? pick([' ', '\n', '\t', '\r\n  '], random) : '');

/** Writes a JSON object with its members in random order, sometimes with an extra or a repeated member. */
function object(members: string[], random: Random): string {
  const all = [...members];
  while (random(6) === 0)
    all.splice(random(all.length + 1), 0, `${JSON.stringify(pick(KEYS, random))}:${pick(VALUES, random)}`);
  if (random(10) === 0) all.reverse();
  if (random(20) === 0) all.push(pick(all, random));
  return `{${space(random)}${all.join(`${space(random)},`)}${space(random)}}`;
}

function addresses(random: Random): string {
  const servers = Array.from({ length: random(4) }, () => text(pick(ADDRESSES, random), random));
  return random(30) === 0 ? pick(VALUES, random) : `[${servers.join(`${space(random)},`)}]`;
}

function group(random: Random, game: string): string {
  const id = random(30) === 0 ? pick(VALUES, random) : text(game, random);
  const members = [`"game_id"${space(random)}:${id}`, `"servers":${addresses(random)}`];
  if (random(12) === 0) members.push(`"servers":${addresses(random)}`);
  return object(members, random);
}

function body(random: Random, game: () => string): string {
  const groups = Array.from({ length: random(4) }, () => group(random, game()));
  return object([`"servers":${space(random)}[${groups.join(',')}]`], random);
}

/** Returns the body of a random fetch request. The body is valid JSON, but not always a valid request. */
export function fetchBody(random: Random): Buffer {
  const mark = random(40) === 0 ? '\uFEFF' : '';
  return Buffer.from(mark + body(random, () => pick(GAMES, random)));
}

/**
 * Returns the body of a random fetch request with corrupted bytes. Its game does not exist, so that gsq never probes a
 * corrupted address, which could belong to a real machine.
 */
export function brokenBody(random: Random): Buffer {
  return mutate(Buffer.from(body(random, () => 'nogame')), random);
}

const nested = (open: string, close: string, depth: number): string =>
  open.repeat(depth) + close.repeat(depth);
const many = (count: number): string =>
  `{"servers":[{"game_id":"nogame","servers":[${'"192.0.2.1:27015",'.repeat(count - 1)}"192.0.2.1:27015"]}]}`;

/** Bodies of requests that are extremely large or deeply nested. */
export const extremeBodies: readonly Buffer[] = [
  nested('[', ']', 400_000),
  '['.repeat(900_000),
  nested('{"servers":[', ']}', 50_000),
  '{"servers":'.repeat(80_000),
  `{"servers":${nested('[', ']', 400_000)}}`,
  `{"servers":[{"game_id":"csgo","servers":[${nested('[', ']', 100_000)}]}]}`,
  many(1000),
  many(1001),
  many(40_000),
  `{"servers":[${'{},'.repeat(100_000)}{}]}`,
  `{"servers":[${'{"game_id":"csgo","servers":[]},'.repeat(20_000)}{"game_id":"csgo","servers":[]}]}`,
  `{${'"__proto__":1,'.repeat(50_000)}"servers":[]}`,
  `{"${'\\u0000'.repeat(100_000)}":1,"servers":[]}`,
  `"${'\\'.repeat(500_000)}"`,
  `{"servers":[],"x":${'9'.repeat(500_000)}}`,
  `{"servers":[]${' '.repeat(900_000)}}`,
].map(shape => Buffer.from(shape));
