/**
 * `npm run bench`: REST against a bare node:http server that answers the same bytes, as ratios measured side by
 * side in one run. Only the ratios carry over to other machines.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { A2sServer } from '../system/a2s-server.ts';
import { bootstrap, Stack } from '../system/stack.ts';
import { until } from '../system/until.ts';
import { measure } from './http-load.ts';

const ROUNDS = 5;
const SECONDS = 2;
const CONNECTIONS = 32;
const GAME_SERVERS = 100;
const SIZES = [1, 10, 100];

const headers = [
  'Host: bench',
  'Content-Type: application/json',
  `X-API-Token: ${bootstrap.token}`,
  `X-API-Token-Type: ${bootstrap.tier}`,
  `X-API-Token-Email: ${bootstrap.email}`,
].join('\r\n');

function fetchRequest(addresses: readonly string[]): Buffer {
  const body = JSON.stringify({ servers: [{ game_id: 'rust', servers: addresses }] });
  return Buffer.from(
    `POST /v1/post/fetch HTTP/1.1\r\n${headers}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

const catalogRequest = Buffer.from('GET /v1/get/games HTTP/1.1\r\nHost: bench\r\n\r\n');

/** One answer's body as it goes over the wire. */
async function bodyOf(address: string, request: Buffer): Promise<Buffer> {
  const [host = '', port = ''] = address.split(':');
  const socket = connect(Number(port), host, () => socket.write(request));
  const chunks: Buffer[] = [];
  for await (const chunk of socket) {
    chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const headEnd = bytes.indexOf('\r\n\r\n');
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, headEnd))?.[1]);
    if (headEnd > 0 && bytes.length >= headEnd + 4 + length) return bytes.subarray(headEnd + 4);
  }
  throw new Error('the connection ended before the answer did');
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

async function compare(name: string, address: string, request: Buffer): Promise<void> {
  const body = await bodyOf(address, request);
  const floor = fork(fileURLToPath(new URL('./floor.ts', import.meta.url)), [body.toString('base64')]);
  const [port] = (await once(floor, 'message')) as [number];
  const rates = { floor: [] as number[], gsq: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const load = { request, connections: CONNECTIONS, seconds: SECONDS };
    rates.floor.push(await measure({ ...load, address: `127.0.0.1:${port}` }));
    rates.gsq.push(await measure({ ...load, address }));
  }
  floor.disconnect();
  const [bare, gsq] = [median(rates.floor), median(rates.gsq)];
  const columns = [
    name.padEnd(20),
    bare.toFixed(0).padStart(9),
    gsq.toFixed(0).padStart(9),
    (gsq / bare).toFixed(3),
  ];
  console.log(columns.join('  '));
}

const games = await Promise.all(
  Array.from({ length: GAME_SERVERS }, (_, i) => A2sServer.start({ name: `Bench ${i}` })),
);
// Probes go on as they would, once a minute; the limits are not what is measured.
const stack = await Stack.start({
  env: { GSQ_PROBE_INTERVAL: '1m', GSQ_BURST_LIMIT: '1000000000', GSQ_LOG_LEVEL: 'warn' },
});
try {
  const addresses = games.map(game => game.address);
  await until(
    'all servers to be online',
    async () => (await (await fetchJson(addresses)).text()).split('"status":"online"').length - 1,
    count => count === GAME_SERVERS,
  );
  console.log(`${cpus()[0]?.model}, ${cpus().length} CPUs, Node ${process.version}`);
  console.log(`${CONNECTIONS} connections, median of ${ROUNDS} rounds of ${SECONDS} s, requests a second\n`);
  console.log(['request'.padEnd(20), 'node:http', '      gsq', 'ratio'].join('  '));
  for (const size of SIZES)
    await compare(`fetch ${size}`, stack.http, fetchRequest(addresses.slice(0, size)));
  await compare('catalog', stack.http, catalogRequest);
} finally {
  await stack.stop();
  for (const game of games) game.stop();
}

function fetchJson(addresses: readonly string[]): Promise<Response> {
  return fetch(`http://${stack.http}/v1/post/fetch`, {
    method: 'POST',
    headers: Object.fromEntries(
      headers
        .split('\r\n')
        .slice(1)
        .map(line => line.split(': ') as [string, string]),
    ),
    body: JSON.stringify({ servers: [{ game_id: 'rust', servers: addresses }] }),
  });
}
