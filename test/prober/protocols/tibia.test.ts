import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tibia } from '../../../prober/protocols/tibia.ts';
import { openStream, statusOf } from './exchange.ts';

const document = (
  players = '<players online="3" max="100" peak="9"/>',
  server = 'servername="Peer &amp; &lt;Co&gt;"',
) =>
  `<?xml version="1.0"?>\n<tsqp version="1.0"><serverinfo uptime="5" ${server} server="The Forgotten Server" version="1.4" client="10.98"/>${players}<map name="World &#39;&#x41;&#39;" author="me" width="1" height="1"/><motd>Hi</motd></tsqp>`;
const receive = (text: string) => openStream(tibia).receive(Buffer.from(text));

test('Tibia: requests the full XML document', () => {
  const exchange = openStream(tibia);
  assert.deepEqual(exchange.request(), [Buffer.from('0600ffff696e666f', 'hex')]);
  assert.equal(exchange.partial(), undefined);
});

test('Tibia: reads the XML document in chunks of any size, and decodes entities such as &amp;', () => {
  const whole = Buffer.from(document());
  for (const size of [1, 2, 7, 100, whole.length]) {
    const exchange = openStream(tibia);
    let last = exchange.receive(whole.subarray(0, size));
    for (let at = size; at < whole.length; at += size) {
      assert.equal(last.kind, 'more');
      last = exchange.receive(whole.subarray(at, at + size));
    }
    assert.deepEqual(statusOf(last), {
      ...{ name: 'Peer & <Co>', map: "World 'A'", players: 3, maxplayers: 100, version: '1.4' },
    });
  }
});

test('Tibia: reports no maximum number of players if the server has no player limit', () => {
  const { maxplayers } = statusOf(receive(document('<players online="3" max="0" peak="9"/>')));
  assert.equal(maxplayers, undefined);
});

test('Tibia: does not change unknown XML entities', () => {
  assert.equal(
    statusOf(receive(document(undefined, 'servername="a &b; &#9999999; c"'))).name,
    'a &b; &#9999999; c',
  );
});

test('Tibia: rejects a complete document if its player counts are missing or invalid, or if it has no server name', () => {
  for (const text of [
    document('<players online="3"/>'),
    document('<players online="-1" max="100"/>'),
    document('<people online="3" max="100"/>'),
    document(undefined, 'name="x"'),
    '</tsqp>',
    'x'.repeat(64 * 1024 + 1),
  ]) {
    assert.equal(receive(text).kind, 'malformed', text.slice(0, 300));
  }
  assert.equal(receive(document().slice(0, -1)).kind, 'more');
});

test('Tibia: parses an element with 60,000 characters of invalid attributes in less than a second', () => {
  for (const letters of ['a'.repeat(60_000), 'a '.repeat(30_000), 'a="'.repeat(20_000)]) {
    const began = performance.now();
    statusOf(receive(document(undefined, `servername="x" ${letters}`)));
    const ms = performance.now() - began;
    // Detects a slow XML parser. A parser that tries a regular expression at each letter takes 4 s for this document.
    assert.ok(ms < 1000, `${letters.slice(0, 3)}: ${ms} ms`);
  }
});
