import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { createGunzip } from 'node:zlib';
import { bodyOf, cases, goodMember } from './gzip-pieces.ts';

const gzip = spawnSync('gzip', ['--version']);

describe('gzip data made of precompressed fragments and plain text', () => {
  test('can be decompressed byte by byte', async () => {
    for (const pieces of [...cases(8, 300, 60), ...cases(1, 1000, 2000)]) {
      const gunzip = createGunzip();
      const chunks: Buffer[] = [];
      gunzip.on('data', chunk => chunks.push(chunk));
      const ended = once(gunzip, 'end');
      for (const byte of goodMember(pieces)) gunzip.write(Buffer.of(byte));
      gunzip.end();
      await ended;
      assert.ok(Buffer.concat(chunks).equals(bodyOf(pieces)));
    }
  });

  test('passes the integrity test of the gzip command (gzip -t)', {
    skip: gzip.error && 'gzip is not there',
  }, () => {
    const members = [...cases(100, 1500, 100), ...cases(5, 80_000, 65_535)].map(goodMember);
    const test = (input: Buffer) => spawnSync('gzip', ['-t'], { input, timeout: 20_000 });
    // Checks all gzip members with one call of `gzip -t`, because gzip accepts concatenated members.
    const tested = test(Buffer.concat(members));
    assert.equal(tested.stderr.toString(), '');
    assert.equal(tested.status, 0);
    const spoilt = Buffer.concat(members);
    spoilt[spoilt.length - 8] = ~(spoilt[spoilt.length - 8] ?? 0);
    assert.notEqual(test(spoilt).status, 0);
  });

  test('is decompressed correctly by fetch()', async () => {
    const asked = cases(30, 900, 60).filter(pieces => bodyOf(pieces).length > 0);
    const members = asked.map(goodMember);
    const server = createServer((request, response) => {
      const member = members[Number(request.url?.slice(1))] ?? Buffer.alloc(0);
      response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': member.length }).end(member);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      for (const [i, pieces] of asked.entries()) {
        const answer = await fetch(`http://127.0.0.1:${port}/${i}`);
        assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bodyOf(pieces));
      }
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
