import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { protocols } from '../../../prober/protocols/registry.ts';
import { responders } from '../../fleet/responders.ts';
import { fuzzCuts, fuzzProtocol } from '../../fuzz/fuzz-protocol.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

// A short run; `npm run fuzz` uses a million replies, adds replies of absurd size, and checks time and memory.
const REPLIES = 1000;

for (const [name, protocol] of protocols) {
  describe(name, () => {
    const responder = responders.get(name);
    assert.ok(responder, 'no made-up server speaks it');
    const options = { name, protocol, responder, random: randomNumbers(20) };

    test('every parser answers random replies with a step, and a status holds only whole numbers', () => {
      const { online, malformed } = fuzzProtocol({ ...options, replies: REPLIES });
      assert.ok(online > 0 && malformed > 0, `${online} online, ${malformed} malformed`);
    });

    test('no parser takes a reply that is cut anywhere for another status', () => {
      assert.ok(fuzzCuts(options).replies > 0);
    });
  });
}
