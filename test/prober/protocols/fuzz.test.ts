import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { protocols } from '../../../prober/protocols/registry.ts';
import { responders } from '../../fleet/responders.ts';
import { fuzzCuts, fuzzProtocol } from '../../fuzz/fuzz-protocol.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

// Number of random replies for each protocol in this short test. The long test, `npm run fuzz`, sends a million
// replies, and also checks time and memory.
const REPLIES = 1000;

for (const [name, protocol] of protocols) {
  describe(name, () => {
    const responder = responders.get(name);
    assert.ok(responder, 'no made-up server speaks it');
    const options = { name, protocol, responder, random: randomNumbers(20) };

    test('a parser throws no exception and returns only valid statuses if replies are changed at random', () => {
      const { online, malformed } = fuzzProtocol({ ...options, replies: REPLIES });
      assert.ok(online > 0 && malformed > 0, `${online} online, ${malformed} malformed`);
    });

    test('a parser reads no wrong server property from a truncated reply, wherever the reply is cut off', () => {
      assert.ok(fuzzCuts(options).replies > 0);
    });
  });
}
