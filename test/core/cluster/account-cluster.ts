import type { TestContext } from 'node:test';
import { Authenticator } from '../../../core/access/authenticator.ts';
import { DayQuota } from '../../../core/access/day-quota.ts';
import { LastUse } from '../../../core/access/last-use.ts';
import { OwnCharges } from '../../../core/access/own-charges.ts';
import { type TokenRequest, TokenService } from '../../../core/access/token-service.ts';
import { Tokens } from '../../../core/access/tokens.ts';
import { Accounts } from '../../../core/cluster/accounts.ts';
import type { Member } from '../../../core/cluster/ownership.ts';
import { Peers } from '../../../core/cluster/peers.ts';
import { accountMethods } from '../../../core/rpc/account-methods.ts';
import { createInternalServer, listen } from '../../../core/rpc/grpc-server.ts';
import { Handlers } from '../../../core/rpc/handler.ts';
import { internalGuard } from '../../../core/rpc/internal-guard.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { formatEndpoint } from '../../../runtime/endpoint.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { until } from '../../system/until.ts';
import { freeToken } from '../access/token-fixture.ts';
import { type Clock, clockAt } from '../clock.ts';
import { type DurableEntries, MapEngine } from '../store/map-engine.ts';
import { FakeCluster } from './switched-ownership.ts';

/** The shared secret of the internal ports of the cores under test. */
export const SECRET = 'secret of the internal ports';

/** What all cores of a test share: the clock, the members of the cluster and the stored entries. */
interface Shared {
  clock: Clock;
  cluster: FakeCluster;
  durable: DurableEntries;
}

export type AccountCore = Awaited<ReturnType<typeof startCore>>;

async function startCore({ clock, cluster, durable }: Shared, id: string, directory: string) {
  const engine = new MapEngine(durable);
  const own = new OwnCharges();
  const tokens = await Tokens.load(engine, directory, false);
  const corrupt: string[] = [];
  const quota = await DayQuota.load(engine, clock.now, undefined, own);
  const lastUse = await LastUse.load(engine, clock.now, undefined, own);
  const self: { id: string; address: string } = { id, address: '' };
  const ownership = cluster.ownershipOf(self);
  const peers = new Peers({ ownership, secret: SECRET, security: () => undefined });
  const closing = new AbortController();
  const unusable: Error[] = [];
  const accounts = new Accounts({
    ...{ tokens, quota, lastUse, own, ownership, peers, engine, closing: closing.signal },
    onCorrupt: entry => corrupt.push(entry),
    onUnusable: error => unusable.push(error),
  });
  const defects: unknown[] = [];
  const handlers = new Handlers(internalGuard(SECRET), error => defects.push(error));
  const faults = { losesAnswers: false, broken: new AbortController() };
  const server = createInternalServer();
  const methods = accountMethods(
    {
      follow: (memberId, signal) =>
        accounts.follow(memberId, AbortSignal.any([signal, faults.broken.signal])),
      charge(...report) {
        accounts.charge(...report);
        if (faults.losesAnswers) throw new ServiceError('CORE_1', 'the answer is lost');
      },
    },
    handlers,
  );
  server.addService(gsqV1.ClusterService.service, { ...methods });
  self.address = formatEndpoint(await listen(server, 'GSQ_INTERNAL_ADDR', { host: '127.0.0.1', port: 0 }));
  const authenticator = new Authenticator(tokens, quota, lastUse, 1_000_000, clock.now);
  const tokenService = new TokenService(tokens, clock.now);
  const access = { tokens, quota, lastUse, own, tokenService, authenticator };
  return {
    ...{ ...access, self, engine, ownership, peers, accounts, server, handlers, defects, closing },
    ...{ corrupt, unusable, faults },
  };
}

/**
 * A test cluster: several cores in this process with one simulated storage engine. The cores share only the accounts
 * (tokens and their usage).
 */
export class AccountCluster {
  readonly clock = clockAt();
  readonly durable: DurableEntries = new Map();
  readonly cluster = new FakeCluster();
  readonly directory = scratchDirectory();
  /** All cores that have joined the cluster, except those that were killed or retired. */
  cores: AccountCore[] = [];

  constructor(t: TestContext) {
    t.after(() => {
      for (const core of this.cores) this.#end(core);
    });
  }

  /** Starts a core that copies the accounts of the lead core. `directory`: data directory with the token key. */
  async join(id: string, directory = this.directory): Promise<AccountCore> {
    const core = await startCore(this, id, directory);
    this.cores.push(core);
    this.cluster.change({ members: [...this.cluster.members, core.self] });
    core.accounts.start();
    return core;
  }

  /** Makes a core the lead of the cluster, and waits until all other cores have its accounts. */
  async lead(core: AccountCore): Promise<void> {
    await core.accounts.lead();
    this.cluster.change({ lead: core.self });
    await this.current();
  }

  /**
   * Shuts down the lead (the core that manages tokens and webhooks) in the same way as SIGTERM. After that, the cluster
   * has no lead.
   */
  async retire(core: AccountCore): Promise<void> {
    core.closing.abort();
    await until(
      'the streams of the old lead have ended',
      () => this.#isFollowed(),
      followed => !followed,
    );
    await core.accounts.unlead();
    this.cores = this.cores.filter(each => each !== core);
    this.cluster.change({
      members: this.cluster.members.filter(each => each !== core.self),
      lead: undefined,
    });
    this.#end(core);
  }

  /** Simulates the kill of a core: from now on, the core sends no message and writes nothing. */
  kill(core: AccountCore): void {
    void core.engine.close();
    this.#end(core);
    this.cores = this.cores.filter(each => each !== core);
    const { members, lead } = this.cluster;
    this.cluster.change({
      members: members.filter(each => each !== core.self),
      lead: lead === core.self ? undefined : lead,
    });
  }

  /**
   * Breaks the streams from the lead (the core that owns the accounts) to the other cores. Waits until new streams are
   * open.
   */
  async breakStreams(lead: AccountCore): Promise<void> {
    lead.faults.broken.abort();
    lead.faults.broken = new AbortController();
    await until(
      'the followers have lost their streams',
      () => this.#isFollowed(),
      followed => !followed,
    );
    this.cluster.change({});
    await this.current();
  }

  /** Waits until all cores have the current accounts of the lead core. */
  async current(): Promise<void> {
    const isCurrent = (): boolean => this.cores.every(({ accounts }) => accounts.isCurrent);
    await until('all cores have the accounts of the lead', isCurrent, Boolean);
  }

  /**
   * Makes all cores report their request counts to the lead, the core that owns the accounts. Waits until every token
   * has the same usage at all cores.
   */
  async settle(): Promise<void> {
    for (const { accounts, own } of this.cores) {
      if (accounts.isLead) continue;
      const isIncluded = async (): Promise<boolean> => {
        await accounts.report();
        return own.all().next().done === true;
      };
      await until('all reports are included', isIncluded, Boolean);
    }
    const used = (): string[] =>
      this.cores.map(({ quota, tokens }) => {
        const ids = tokens.list().map(({ id }) => id);
        return JSON.stringify(ids.sort().map(id => [id, quota.used(id)]));
      });
    await until('all cores have the same usage', used, all => new Set(all).size === 1);
  }

  async createToken(core: AccountCore, change: Partial<TokenRequest> = {}) {
    const { secret, token } = await core.tokenService.create({ ...freeToken, ...change });
    return { id: token.id, credentials: { token: secret, tier: token.tier, email: token.email } };
  }

  /** True if at least one other core has a complete copy of the accounts of the lead core. */
  #isFollowed(): boolean {
    return this.cores.some(({ accounts }) => !accounts.isLead && accounts.isCurrent);
  }

  #end({ server, accounts, peers, quota, lastUse, closing }: AccountCore): void {
    closing.abort();
    void accounts.close();
    peers.close();
    server.forceShutdown();
    quota.close();
    lastUse.close();
  }
}

/** Returns a cluster member that does not run: nobody listens at its address. */
export function absentMember(id: string): Member {
  return { id, address: '127.0.0.1:1' };
}

/** Makes a core count `times` requests of one token against the daily quota. `id`: the ID of the token. */
export function charge(core: AccountCore, id: string, times: number): void {
  for (let i = 0; i < times; i++) core.quota.charge(id);
}
