import { clients, internalMetadata } from '../../proto/clients.ts';
import { credentialHeaders } from '../bench/service.ts';
import { Stack } from '../system/stack.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { bodyOf, GAME } from './requests.ts';
import { Sampler } from './sampler.ts';

/**
 * Number of probes that are due each second at the start of the soak test. A service with a million servers has this
 * number if it probes each server once a minute.
 */
const MOST_PROBES_A_SECOND = 1_000_000 / 60;
const A_REQUEST = 1_000;
const PROBED_WITHIN_MS = 120_000;

/**
 * The whole service with a fleet of fake game servers. The probe interval is fixed, so the number of servers determines
 * the number of probes a second.
 */
export class SoakedService {
  readonly stack: Stack;
  readonly #intervalMs: number;
  /** Addresses of the fake game servers that the service tracks. */
  #addresses: readonly string[];

  private constructor(stack: Stack, intervalMs: number, addresses: readonly string[]) {
    this.stack = stack;
    this.#intervalMs = intervalMs;
    this.#addresses = addresses;
  }

  /**
   * Starts the service and inserts servers with these addresses. Chooses the probe interval so that a million probes
   * are due per minute. Resolves when the servers have been probed once.
   */
  static async start(addresses: readonly string[]): Promise<SoakedService> {
    const intervalMs = Math.round((addresses.length / MOST_PROBES_A_SECOND) * 1000);
    const many = String(addresses.length);
    const stack = await Stack.start({
      env: {
        GSQ_PROBE_INTERVAL: `${intervalMs}ms`,
        GSQ_PACKETS_PER_SECOND: '1000000',
        GSQ_MAX_IN_FLIGHT: '5000',
        GSQ_INSERTS_PER_MINUTE: many,
        GSQ_MAX_UNPROVEN_PER_TOKEN: many,
        GSQ_BURST_LIMIT: '1000000000',
        GSQ_LOG_LEVEL: 'warn',
      },
    });
    try {
      const sampler = new Sampler(stack);
      for (const round of batchesOf(addresses)) await insert(stack, round);
      await until(
        'all servers probed',
        () => sampler.sample(),
        ({ probesOnline }) => probesOnline >= addresses.length,
        PROBED_WITHIN_MS,
      );
      return new SoakedService(stack, intervalMs, addresses);
    } catch (error) {
      await stack.stop();
      throw error;
    }
  }

  get addresses(): readonly string[] {
    return this.#addresses;
  }

  /** Number of probes of the tracked servers that are due each second. */
  get probesDue(): number {
    return (this.#addresses.length / this.#intervalMs) * 1000;
  }

  /** Removes servers from the service until at most `probesASecond` probes are due each second. */
  async calmTo(probesASecond: number): Promise<void> {
    const kept = Math.min(Math.round((probesASecond * this.#intervalMs) / 1000), this.#addresses.length);
    const admin = clients.admin(this.stack.internal);
    try {
      for (const round of batchesOf(this.#addresses.slice(kept))) {
        await new Promise<void>((resolve, reject) =>
          admin.removeServers(
            { servers: [{ gameId: GAME, servers: [...round] }] },
            internalMetadata(INTERNAL_SECRET),
            error => (error ? reject(error) : resolve()),
          ),
        );
      }
    } finally {
      admin.close();
    }
    this.#addresses = this.#addresses.slice(0, kept);
  }

  stop(): Promise<void> {
    return this.stack.stop();
  }
}

function batchesOf(addresses: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(addresses.length / A_REQUEST) }, (_, i) =>
    addresses.slice(i * A_REQUEST, (i + 1) * A_REQUEST),
  );
}

/** Inserts servers into the service: fetches them over REST, because a fetch inserts unknown servers. */
async function insert(stack: Stack, addresses: readonly string[]): Promise<void> {
  const response = await fetch(`http://${stack.http}/v1/post/fetch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credentialHeaders },
    body: bodyOf(addresses),
  });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}
