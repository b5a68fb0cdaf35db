import { join } from 'node:path';
import { Metadata } from '@grpc/grpc-js';
import { Authenticator } from '../../../core/access/authenticator.ts';
import { DayQuota } from '../../../core/access/day-quota.ts';
import { LastUse } from '../../../core/access/last-use.ts';
import { newSecret } from '../../../core/access/token.ts';
import type { Credentials } from '../../../core/access/token-index.ts';
import { TokenService } from '../../../core/access/token-service.ts';
import { Tokens } from '../../../core/access/tokens.ts';
import { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import { clients, credentialKeys, internalMetadata } from '../../../proto/clients.ts';
import type { CreateTokenResponse__Output } from '../../../proto/generated/gsq/v1/CreateTokenResponse.ts';
import { failure, unary } from '../../core/rpc/answer.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { ServiceProcess } from '../../system/service-process.ts';
import { INTERNAL_SECRET, stackDefaults } from '../../system/stack-settings.ts';
import { median } from '../rounds.ts';
import type { Section } from '../section.ts';
import { type Column, judged, judgedColumns, type Table } from '../table.ts';
import { mean, welchT } from '../welch.ts';

/**
 * Number of measured attempts for each kind of wrong credentials. IN_PROCESS attempts run without a network, in the
 * process of this script. OVER_THE_WIRE attempts use gRPC.
 */
const IN_PROCESS = 20_000;
const OVER_THE_WIRE = 2_000;
/**
 * Number of warm-up attempts for each kind of wrong credentials. They make V8 compile the code, and their times are not
 * counted.
 */
const WARM_UP = 500;
/**
 * Share of the measured response times that the result uses: the fastest 90 %. The slowest 10 % are ignored, because
 * garbage collection and other processes delay them.
 */
const KEPT = 0.9;
/** Number of API tokens to create in each state: live, revoked and expired. */
const TOKENS = 500;
/**
 * Maximum absolute value of Welch's t (see `welchT`) for two sets of gRPC response times. If t is larger, the
 * difference between the two sets is more than noise.
 */
const MAX_T = 4.5;
/**
 * Maximum difference between the mean response times for an unknown secret and for another kind of wrong credentials,
 * in microseconds. Used for the attempts without a network. CPU caches alone can cause almost this difference.
 */
const MAX_APART = 0.5;

const BASIS = 'unknown';
const email = 'ann@example.com';
const caller = { address: '203.0.113.9', domain: '' };

const several = <T>(make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: TOKENS }, make));

/** Wrong credentials with which the bench tries to authenticate, keyed by the reason why they are wrong. */
type Attempts = ReadonlyMap<string, readonly Credentials[]>;

interface Made {
  id: string;
  secret: string;
}

/**
 * Returns wrong credentials, keyed by the reason why they are wrong. A caller must not be able to guess this reason
 * from the response time.
 */
function attempts(live: readonly Made[], revoked: readonly Made[], expired: readonly Made[]): Attempts {
  const shown = (made: readonly Made[], change: (secret: string) => Partial<Credentials>) =>
    made.map(({ secret }) => ({ token: secret, tier: 'FREE', email, ...change(secret) }));
  return new Map([
    [BASIS, shown(live, () => ({ token: newSecret() }))],
    [
      'wrong secret',
      shown(live, secret => ({ token: secret.slice(0, -1) + (secret.endsWith('x') ? 'y' : 'x') })),
    ],
    ['wrong e-mail', shown(live, () => ({ email: 'bob@example.com' }))],
    ['wrong tier', shown(live, () => ({ tier: 'PRO' }))],
    ['revoked', shown(revoked, () => ({}))],
    ['expired', shown(expired, () => ({}))],
  ]);
}

/**
 * Makes attempts with wrong credentials of all kinds, one at a time, in random order. Resolves to the times in
 * microseconds, keyed by kind. Rejects if an attempt does not get the error code AUTH_3.
 */
async function timed<Attempt>(
  kinds: ReadonlyMap<string, readonly Attempt[]>,
  each: number,
  attempt: (what: Attempt) => Promise<string | undefined>,
): Promise<Map<string, number[]>> {
  const order = [...kinds].flatMap(([kind, all]) =>
    Array.from({ length: each + WARM_UP }, (_, i) => ({ kind, what: all[i % all.length] })),
  );
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    const [a, b] = [order[i], order[j]];
    if (a && b) [order[i], order[j]] = [b, a];
  }
  const times = new Map([...kinds.keys()].map(kind => [kind, [] as number[]]));
  for (const [i, { kind, what }] of order.entries()) {
    if (what === undefined) continue;
    const startedAt = performance.now();
    const code = await attempt(what);
    const took = (performance.now() - startedAt) * 1000;
    if (code !== 'AUTH_3') throw new Error(`${kind} was answered with ${code}`);
    if (i >= WARM_UP * kinds.size) times.get(kind)?.push(took);
  }
  return times;
}

/**
 * For each kind of wrong credentials, compares the response times with those for an unknown secret. Returns one table
 * row for each kind.
 */
function comparison(times: ReadonlyMap<string, number[]>, judgedBy: 't' | 'apart'): Table['rows'] {
  const all = [...times.values()].flat().sort((a, b) => a - b);
  const slowest = all[Math.floor(all.length * KEPT)] ?? 0;
  const fastest = (kind: string): number[] => (times.get(kind) ?? []).filter(time => time <= slowest);
  const basis = fastest(BASIS);
  return [...times.keys()].map(kind => {
    const sample = fastest(kind);
    const row = { kind, count: sample.length, time: median(sample) };
    if (kind === BASIS) return row;
    const t = Math.abs(welchT(sample, basis));
    const apart = Math.abs(mean(sample) - mean(basis));
    const verdict = judgedBy === 't' ? judged(t, '<=', MAX_T, 1) : judged(apart, '<=', MAX_APART, 1);
    return { ...row, apart, t, ...verdict };
  });
}

async function inProcess(): Promise<Table['rows']> {
  const directory = scratchDirectory();
  const level = await LevelDbStore.open(join(directory, 'leveldb'), () => {});
  let now = Date.now();
  const clock = () => now;
  const tokens = await Tokens.load(level, directory);
  const quota = await DayQuota.load(level, clock);
  const lastUse = await LastUse.load(level, clock);
  const tokenService = new TokenService(tokens, clock);
  const make = (expiresAt: number) =>
    several(async () => {
      const wish = { tier: 'FREE', email, expiresAt, allowIps: [], allowDomains: [] };
      const { secret, token } = await tokenService.create(wish);
      return { id: token.id, secret };
    });
  const [live, revoked, expired] = [await make(0), await make(0), await make(now + 1)];
  await Promise.all(revoked.map(({ id }) => tokenService.revoke(id)));
  now += 1;
  const authenticator = new Authenticator(tokens, quota, lastUse, 1_000_000, clock);
  const times = await timed(attempts(live, revoked, expired), IN_PROCESS, ({ token, tier, email: address }) =>
    // Each attempt passes new credentials to `admit`. A reused credentials object would make the next attempt faster,
    // because it caches the hash of its secret.
    authenticator.admit({ token, tier, email: address }, caller).then(
      () => undefined,
      error => error.code,
    ),
  );
  quota.close();
  lastUse.close();
  await level.close();
  return comparison(times, 'apart');
}

function metadataOf({ token, tier, email: address }: Credentials): Metadata {
  const metadata = new Metadata();
  metadata.set(credentialKeys.token, token);
  metadata.set(credentialKeys.tier, tier);
  metadata.set(credentialKeys.email, address);
  return metadata;
}

async function overTheWire(): Promise<Table['rows']> {
  const core = await ServiceProcess.start('core', { ...stackDefaults, GSQ_LOG_LEVEL: 'warn' });
  const admin = clients.admin(core.address('GSQ_INTERNAL_ADDR'));
  const server = clients.server(core.address('GSQ_GRPC_ADDR'));
  try {
    const make = (expiresAt: { seconds: number; nanos: number } | null) =>
      several(async () => {
        const { secret, token } = await unary<CreateTokenResponse__Output>(done =>
          admin.createToken({ tier: 'FREE', email, expiresAt }, internalMetadata(INTERNAL_SECRET), done),
        );
        return { id: token?.id ?? '', secret };
      });
    const expiry = Math.ceil(Date.now() / 1000) + 2;
    const expired = await make({ seconds: expiry, nanos: 0 });
    const [live, revoked] = [await make(null), await make(null)];
    await Promise.all(
      revoked.map(({ id }) =>
        unary(done => admin.revokeToken({ id }, internalMetadata(INTERNAL_SECRET), done)),
      ),
    );
    await new Promise(resolve => setTimeout(resolve, expiry * 1000 + 1 - Date.now()));
    const shown = [...attempts(live, revoked, expired)].map(
      ([kind, all]) => [kind, all.map(metadataOf)] as const,
    );
    const times = await timed(
      new Map(shown),
      OVER_THE_WIRE,
      async metadata =>
        (await failure(done => server.fetchServers({ servers: [] }, metadata, done))).ours?.code,
    );
    return comparison(times, 't');
  } finally {
    admin.close();
    server.close();
    await core.child.stop();
  }
}

const columns: Column[] = [
  { key: 'kind', heading: 'credentials' },
  { key: 'count', heading: 'attempts' },
  { key: 'time', heading: 'median µs', digits: 2 },
  { key: 'apart', heading: 'means apart µs', digits: 2 },
  { key: 't', heading: '|t|', digits: 2 },
  ...judgedColumns,
];
const note = `At random, one after the other, all refused as AUTH_3; the slowest ${Math.round((1 - KEPT) * 100)} % of all left out; t: Welch's, against ${BASIS}.`;

/** Measures whether the response time of a refusal reveals what is wrong with the credentials. */
export const credentialsSection: Section = async () => [
  {
    title: 'Refused credentials within the core',
    notes: [`${note} ${3 * TOKENS} tokens stored.`],
    columns,
    rows: await inProcess(),
  },
  {
    title: 'Refused credentials over gRPC',
    notes: [`${note} Unary FetchServers on one connection.`],
    columns,
    rows: await overTheWire(),
  },
];
