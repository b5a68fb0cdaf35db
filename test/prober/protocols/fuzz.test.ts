import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalise } from '../../../prober/normalise.ts';
import type { Protocol, RawStatus, Step } from '../../../prober/protocols/protocol.ts';
import { protocols } from '../../../prober/protocols/registry.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import {
  bytes,
  cstring,
  goldsrcInfo,
  minecraftStatus,
  playerReply,
  pong,
  quake3Status,
  sourceInfo,
  split,
  u16,
} from './bytes.ts';
import { CONTEXT } from './exchange.ts';

const ROUNDS = 3000;

/** What a real server could have sent, to begin from. */
const SEEDS: Record<string, Buffer[][]> = {
  a2s: [
    [sourceInfo({ extra: bytes(0xa0, u16(27999), cstring('a,b')) })],
    [sourceInfo({ players: 1 }), playerReply([{ name: 'Ann', score: 1, time: 2 }])],
    [goldsrcInfo(3), ...split(playerReply([{ name: 'Ann', score: 1, time: 2 }]), 12, 'goldsrc')],
    split(sourceInfo({ name: 'z'.repeat(90) }), 60, 'source'),
  ],
  bedrock: [[pong(CONTEXT.nonce, 'MCPE;a;1;1.0;3;10;9;level;Survival;1;')]],
  minecraft: [
    [minecraftStatus('{"players":{"max":5,"online":1,"sample":[{"name":"x"}]},"description":{"text":"a"}}')],
  ],
  mumbleping: [[Buffer.from('00010304010203040506070800000005000000640001fbd0', 'hex')]],
  quake3: [[quake3Status({ sv_hostname: 'a', sv_maxclients: '8' }, ['1 2 "Ann"'])]],
};

function mutate(original: Buffer, below: (n: number) => number): Buffer {
  let mutant: Buffer = Buffer.from(original);
  for (let i = below(4); i >= 0; i--) {
    const at = below(mutant.length + 1);
    const kind = below(4);
    if (kind === 0) mutant = mutant.subarray(0, at);
    else if (kind === 1) mutant = bytes(mutant.subarray(0, at), below(256), mutant.subarray(at));
    else if (kind === 2) mutant = bytes(mutant.subarray(0, at), mutant.subarray(below(mutant.length + 1)));
    else if (at < mutant.length) mutant.writeUInt8([0, 0xff, 0x80, 0x5c, below(256)][below(5)] ?? 0, at);
  }
  return mutant;
}

function check(protocol: Protocol, status: RawStatus): void {
  for (const number of [status.players, status.maxplayers]) assert.ok(Number.isInteger(number));
  const payload = normalise(status, { host: 'h', joinPort: 1, colours: protocol.colours, ping: 1 });
  assert.notEqual(payload.name, '');
  assert.ok(payload.players >= 0 && payload.maxplayers >= 0);
}

for (const [name, protocol] of protocols) {
  test(`${name}: whatever comes, a step follows, and a status only of whole numbers`, () => {
    const seeds = SEEDS[name];
    assert.ok(seeds, `no seed for ${name}`);
    const below = randomNumbers(20);
    const seen = new Set<Step['kind']>();
    for (let round = 0; round < ROUNDS; round++) {
      const exchange = protocol.open(CONTEXT);
      exchange.request();
      for (const reply of seeds[round % seeds.length] ?? []) {
        const step = exchange.receive(below(3) ? mutate(reply, below) : reply);
        seen.add(step.kind);
        if (step.kind === 'done') check(protocol, step.status);
        if (step.kind === 'done' || step.kind === 'malformed') break;
      }
      const partial = exchange.partial();
      if (partial) check(protocol, partial);
    }
    assert.ok(seen.has('done') && seen.has('malformed'), [...seen].join());
  });
}
