import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { protocols } from '../../../prober/protocols/registry.ts';
import { responders } from '../../fleet/responders.ts';
import { fuzzCuts, fuzzMonsters, fuzzProtocol } from '../../fuzz/fuzz-protocol.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

// `npm run fuzz` does the same with a million replies, and looks at time and memory.
const REPLIES = 1000;

for (const [name, protocol] of protocols) {
  describe(name, () => {
    const responder = responders.get(name);
    assert.ok(responder, 'no made-up server speaks it');
    const parts = { name, protocol, responder, random: randomNumbers(20) };

    test('whatever comes, a step follows, and a status only of whole numbers', () => {
      const { online, malformed } = fuzzProtocol({ ...parts, replies: REPLIES });
      assert.ok(online > 0 && malformed > 0, `${online} online, ${malformed} malformed`);
    });

    test('a reply cut short at any byte never passes for another status', () => {
      assert.ok(fuzzCuts(parts).replies > 0);
    });

    test('servers out of all proportion are no harm', () => {
      assert.ok(fuzzMonsters(parts).replies > 0);
    });
  });
}
