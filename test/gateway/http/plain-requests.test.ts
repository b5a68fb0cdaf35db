import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withTwoReaders } from './both-parsers.ts';
import { PIPELINED, PLAIN } from './request-shapes.ts';

// Uses the default time limits of the gateway instead of short ones. With short limits, a request can arrive too late
// if the machine is busy. The gateway would then pass the connection to node:http, and this test would fail.
const { plainRequests, bothAnswers } = withTwoReaders({});

describe('the fast HTTP parser reads this request itself, and gives the same answer as node:http', () => {
  for (const [name, request] of PLAIN) {
    test(name, async () => {
      const before = plainRequests();
      const { plain, node } = await bothAnswers(Buffer.from(request, 'latin1'));
      assert.deepEqual(plain, node);
      assert.equal(plain[0]?.line, 'HTTP/1.1 200 OK');
      assert.equal(plainRequests(), before + 1, 'one of the two came without node:http');
    });
  }
});

test('the fast HTTP parser reads two pipelined requests', async () => {
  const before = plainRequests();
  const [, requests = ''] = PIPELINED[0] ?? [];
  const { plain, node } = await bothAnswers(Buffer.from(requests, 'latin1'), 2);
  assert.deepEqual(plain, node);
  assert.deepEqual(
    plain.map(({ line }) => line),
    ['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK'],
  );
  assert.equal(plainRequests(), before + 2);
});
