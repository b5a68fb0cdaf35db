import { gzipSync } from 'node:zlib';
import { credentialKeys } from '../../proto/clients.ts';
import { grpcHealthV1, gsqV1 } from '../../proto/descriptors.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { pick } from './fetch-bodies.ts';
import { mutate, type Random } from './mutations.ts';

/** One gRPC call as HTTP/2 headers and bytes. */
export interface GrpcCase {
  name: string;
  headers: Record<string, string | string[]>;
  /** The messages of the gRPC call, valid or invalid. Each message has the length prefix of gRPC. */
  body: Buffer;
  /**
   * How the caller ends the gRPC call. `end`: it closes its side of the stream. `reset`: it resets the stream.
   * `silence`: it sends nothing more.
   */
  leave: 'end' | 'reset' | 'silence';
  /** Expected number of results in the answer; undefined if the call is not a valid FetchServers call. */
  results?: number;
}

const SAFE = [
  '192.0.2.1:27015',
  '203.0.113.9:65535',
  '[2001:db8::1]:27015',
  '127.0.0.1:27015',
  'nonsense',
  '',
];

const credentials: Record<string, string> = {
  [credentialKeys.token]: bootstrap.token,
  [credentialKeys.tier]: bootstrap.tier,
  [credentialKeys.email]: bootstrap.email,
};

/** Puts the gRPC prefix before a message: the compression flag and the length of the message. */
export function framed(message: Buffer, compressed = 0, length = message.length): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = compressed;
  prefix.writeUInt32BE(length % 2 ** 32, 1);
  return Buffer.concat([prefix, message]);
}

/**
 * Returns random servers, grouped by game, for calls that the fuzzer then corrupts. The games do not exist, so gsq
 * probes none of the servers. This matters because a corrupted address could belong to a real machine.
 */
function broken(random: Random): { gameId: string; servers: string[] }[] {
  return Array.from({ length: random(4) }, () => ({
    gameId: pick(['nogame', 'none', ''], random),
    servers: Array.from({ length: random(4) }, () => pick(SAFE, random)),
  }));
}

const server = gsqV1.ServerService.service;
const game = gsqV1.GameService.service;
const admin = gsqV1.AdminService.service;
const probe = gsqV1.ProbeService.service;
const health = grpcHealthV1.Health.service;

/** gRPC methods of the public port, each with a function that builds the bytes of a request. */
const PUBLIC: readonly (readonly [string, (random: Random) => Buffer])[] = [
  [server.FetchServers.path, random => server.FetchServers.requestSerialize({ servers: broken(random) })],
  [
    server.FetchServersJson.path,
    random => server.FetchServersJson.requestSerialize({ servers: broken(random) }),
  ],
  [
    server.FetchStream.path,
    random =>
      server.FetchStream.requestSerialize({
        calls: Array.from({ length: random(4) }, () => ({
          id: random(5),
          requestId: pick(['', 'x', 'a b'], random),
          acceptGzip: random(2) === 0,
          ...(random(2) === 0 && { caller: { address: pick(SAFE, random), domain: 'x' } }),
          ...(random(4) === 0 ? { check: {} } : { fetch: { servers: broken(random) } }),
        })),
      }),
  ],
  [server.WatchServers.path, random => server.WatchServers.requestSerialize({ servers: broken(random) })],
  [game.ListGames.path, () => game.ListGames.requestSerialize({})],
  [game.ListGamesJson.path, () => game.ListGamesJson.requestSerialize({})],
  [health.Check.path, random => health.Check.requestSerialize({ service: pick(SERVICES, random) })],
  [health.Watch.path, random => health.Watch.requestSerialize({ service: pick(SERVICES, random) })],
  [health.List.path, () => health.List.requestSerialize({})],
  ['/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', reflection],
  ['/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo', reflection],
];

/**
 * gRPC methods that the fuzzer calls on the internal port, each with a function that builds the bytes of a request.
 * Each method must reject a caller without the internal secret.
 */
const INTERNAL: readonly (readonly [string, (random: Random) => Buffer])[] = [
  ...PUBLIC.slice(0, 4),
  [admin.CreateToken.path, () => admin.CreateToken.requestSerialize({ tier: 'PRO', email: 'a@b.c' })],
  [admin.ListTokens.path, () => admin.ListTokens.requestSerialize({})],
  [admin.AddServers.path, random => admin.AddServers.requestSerialize({ servers: broken(random) })],
  [admin.CheckServers.path, random => admin.CheckServers.requestSerialize({ servers: broken(random) })],
  [probe.Session.path, () => probe.Session.requestSerialize({ hello: { prober: 'x', maxInFlight: 1 } })],
];

const SERVICES = ['', 'gsq.v1.GameService', 'constructor', '__proto__', 'x'.repeat(100_000)];

/**
 * Encodes a ServerReflectionRequest with one random field: 1 (host), 3 (file_by_filename), 4 (file_containing_symbol),
 * 6 (all_extension_numbers_of_type), 7 (list_services) or 9, which does not exist.
 */
function reflection(random: Random): Buffer {
  const name = Buffer.from(
    pick(['gsq/v1/server.proto', 'gsq.v1.ServerService', 'constructor', '__proto__', '', '*'], random),
  );
  return Buffer.concat([Buffer.from([(pick([1, 3, 4, 6, 7, 9], random) << 3) | 2, name.length]), name]);
}

/**
 * Groups of invalid or unusual headers. The fuzzer adds one group to the valid headers of a call. A header of the group
 * replaces a valid header with the same name.
 */
const ODD_HEADERS: readonly Record<string, string | string[]>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/grpc+json' },
  { 'content-type': 'application/grpc-web' },
  { 'content-type': '' },
  { ':path': '/' },
  { ':path': '' },
  { ':path': '*' },
  { ':path': '/gsq.v1.ServerService/' },
  { ':path': '/gsq.v1.ServerService/Nothing' },
  { ':path': '/__proto__' },
  { ':path': '/constructor/toString' },
  { ':path': `/${'x'.repeat(8_000)}` },
  { ':path': '/%ff%00%0d%0a' },
  { ':path': '/\xff\xfe' },
  { ':method': 'GET' },
  { ':method': 'BREW' },
  { ':scheme': 'ftp' },
  { ':authority': '' },
  { ':authority': '\xff' },
  { 'grpc-timeout': '0n' },
  { 'grpc-timeout': '1n' },
  { 'grpc-timeout': '-1S' },
  { 'grpc-timeout': '99999999H' },
  { 'grpc-timeout': '999999999999H' },
  { 'grpc-timeout': 'soon' },
  { 'grpc-timeout': '' },
  { 'grpc-encoding': 'gzip' },
  { 'grpc-encoding': 'deflate' },
  { 'grpc-encoding': 'br' },
  { 'grpc-encoding': '__proto__' },
  { 'grpc-encoding': '' },
  { 'grpc-accept-encoding': 'zstd' },
  { 'x-bin': 'no base64 at all!' },
  { 'x-bin': ['AA==', '', ',,,'] },
  { 'grpc-status-details-bin': 'AAAA' },
  { 'grpc-status': '0' },
  { 'content-length': '5' },
  { [credentialKeys.token]: '' },
  { [credentialKeys.token]: '\xff\xfe' },
  { [credentialKeys.token]: 'x'.repeat(20_000) },
  { [credentialKeys.tier]: '__proto__' },
  { [credentialKeys.email]: 'ä@b.c' },
  { 'x-gsq-internal-secret': 'wrong' },
  { 'x-gsq-internal-secret': '' },
  { 'x-large': 'x'.repeat(50_000) },
  Object.fromEntries(Array.from({ length: 110 }, (_, i) => [`x-${i}`, 'y'])),
];

function headersOf(path: string): Record<string, string | string[]> {
  return {
    ':method': 'POST',
    ':scheme': 'http',
    ':path': path,
    ':authority': 'x',
    'content-type': 'application/grpc',
    te: 'trailers',
    ...credentials,
  };
}

const BOMB = gzipSync(Buffer.alloc(1024 * 1024 - 16));

function bodyOf(message: Buffer, random: Random): Buffer {
  switch (random(14)) {
    case 0:
      return framed(message, 1);
    case 1:
      return framed(message, 0, message.length + 1 + random(100));
    case 2:
      return framed(message, 0, Math.max(0, message.length - 1 - random(8)));
    case 3:
      return framed(message, 0, pick([2 ** 32 - 1, 2 ** 31, 1024 * 1024 + 1], random));
    case 4:
      return framed(message, 2 + random(254));
    case 5:
      return Buffer.concat([framed(message), framed(message)]);
    case 6:
      return Buffer.alloc(0);
    case 7:
      return framed(message).subarray(0, random(5));
    case 8:
      return Buffer.from(Array.from({ length: random(200) }, () => random(256)));
    case 9:
      return framed(BOMB, 1);
    case 10:
      return Buffer.concat(Array.from({ length: 200 }, () => framed(Buffer.alloc(0))));
    default:
      return framed(mutate(message, random));
  }
}

/**
 * Returns a valid call of FetchServers. Its field `results` is the number of results that the answer must contain: one
 * for each different server in the request.
 */
function rightCall(random: Random): GrpcCase {
  const servers = Array.from({ length: 1 + random(3) }, () => pick(SAFE, random));
  const message = server.FetchServers.requestSerialize({
    servers: [{ gameId: pick(['csgo', 'nogame'], random), servers }],
  });
  return {
    name: 'FetchServers, right',
    headers: headersOf(server.FetchServers.path),
    body: framed(message),
    leave: 'end',
    results: new Set(servers).size,
  };
}

/** Returns a random gRPC call. Most of these calls are invalid. */
export function grpcCase(random: Random, internal: boolean): GrpcCase {
  if (!internal && random(10) === 0) return rightCall(random);
  const [path, message] = pick(internal ? INTERNAL : PUBLIC, random);
  const odd = random(3) === 0 ? pick(ODD_HEADERS, random) : {};
  const body = random(5) === 0 ? framed(message(random)) : bodyOf(message(random), random);
  const leave = pick(['end', 'end', 'end', 'end', 'end', 'end', 'reset', 'silence'] as const, random);
  const oddName = Object.entries(odd)
    .slice(0, 1)
    .map(([key, value]) => `, ${key}: ${String(value).slice(0, 40)}`);
  return {
    name: `${path}${oddName.join('')}, ${body.length} bytes, ${leave}`,
    headers: { ...headersOf(path), ...odd },
    body,
    leave,
  };
}
