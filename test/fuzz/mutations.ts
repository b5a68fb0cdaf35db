/** Function that returns a random integer in [0, below). */
export type Random = (below: number) => number;

const NASTY = [0, 1, 0x0a, 0x22, 0x5c, 0x7f, 0x80, 0xc3, 0xed, 0xfe, 0xff];
const NASTY_WORDS = [0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

type Mutation = (reply: Buffer, random: Random) => Buffer;

function flipBit(reply: Buffer, random: Random): Buffer {
  const at = random(reply.length);
  reply[at] = (reply[at] ?? 0) ^ (1 << random(8));
  return reply;
}

function setByte(reply: Buffer, random: Random): Buffer {
  reply[random(reply.length)] = NASTY[random(NASTY.length)] ?? 0;
  return reply;
}

/**
 * Overwrites two or four bytes of a reply with an extreme number, in random byte order. A parser can read this number
 * as a length, count or offset.
 */
function setWord(reply: Buffer, random: Random): Buffer {
  const size = random(2) === 0 ? 2 : 4;
  if (reply.length < size) return reply;
  const at = random(reply.length - size + 1);
  const value = (NASTY_WORDS[random(NASTY_WORDS.length)] ?? 0) % 2 ** (8 * size);
  if (random(2) === 0) reply.writeUIntLE(value, at, size);
  else reply.writeUIntBE(value, at, size);
  return reply;
}

const cut: Mutation = (reply, random) => reply.subarray(0, random(reply.length));

function insert(reply: Buffer, random: Random): Buffer {
  const at = random(reply.length + 1);
  const more = Buffer.alloc(1 + random(random(8) === 0 ? 3000 : 8), NASTY[random(NASTY.length)]);
  return Buffer.concat([reply.subarray(0, at), more, reply.subarray(at)]);
}

function remove(reply: Buffer, random: Random): Buffer {
  const at = random(reply.length);
  return Buffer.concat([reply.subarray(0, at), reply.subarray(at + 1 + random(4))]);
}

function repeat(reply: Buffer, random: Random): Buffer {
  const from = random(reply.length);
  const some = reply.subarray(from, from + 1 + random(60));
  const times = random(16) === 0 ? 500 : 1 + random(4);
  return Buffer.concat([
    reply.subarray(0, from),
    ...Array.from({ length: times }, () => some),
    reply.subarray(from),
  ]);
}

/** Overwrites six bytes of a reply with invalid UTF-8. */
function breakText(reply: Buffer, random: Random): Buffer {
  const at = random(reply.length);
  Buffer.from([0xc3, 0x28, 0xed, 0xa0, 0x80, 0xf8]).copy(reply, at);
  return reply;
}

const MUTATIONS: readonly Mutation[] = [flipBit, setByte, setWord, cut, insert, remove, repeat, breakText];

/** Returns a copy of the reply of a server with one to four random mutations. */
export function mutate(reply: Buffer, random: Random): Buffer {
  let mutant: Buffer = Buffer.from(reply);
  for (let i = random(4); i >= 0 && mutant.length > 0; i--) {
    mutant = MUTATIONS[random(MUTATIONS.length)]?.(mutant, random) ?? mutant;
  }
  return mutant;
}

/** Returns a function that drops, repeats, mutates or reorders replies at random. */
export function mutateRepliesAtRandom(random: Random): (replies: readonly Buffer[]) => Buffer[] {
  return replies => {
    const sent = replies.flatMap(reply => {
      switch (random(12)) {
        case 0:
          return [];
        case 1:
          return [reply, reply];
        case 2:
          return [reply];
        case 3:
          return [mutate(reply, random), reply];
        default:
          return [mutate(reply, random)];
      }
    });
    if (random(6) === 0) sent.reverse();
    const [first] = sent;
    // Simulates a hostile server that never ends its answer: replaces the replies with two hundred mutated copies of
    // one reply.
    if (first && random(40) === 0) return Array.from({ length: 200 }, () => mutate(first, random));
    return sent;
  };
}

/**
 * The texts that the function `insertRun` can repeat within a reply. The function chooses one at random. If it chooses
 * `undefined`, it repeats one to four bytes of the reply instead of a text.
 */
const RUNS = ['a', '1', ' ', '"', '\\', '\0', '\n', undefined] as const;
/**
 * Length of a reply after `insertRun`, in bytes. It is below 64 KiB, because UDP and some TCP parsers allow no more.
 */
const RUN_BYTES = 60_000;

/**
 * Inserts many copies of a few bytes at a random place of a reply. A parser that uses a regular expression with
 * backtracking can need quadratic time or longer for such a reply.
 */
export function insertRun(reply: Buffer, random: Random): Buffer {
  const at = random(reply.length + 1);
  const piece = RUNS[random(RUNS.length)] ?? reply.subarray(at, at + 1 + random(4));
  const run = Buffer.alloc(Math.max(0, RUN_BYTES - reply.length), piece.length > 0 ? piece : 'a');
  return Buffer.concat([reply.subarray(0, at), run, reply.subarray(at)]);
}
