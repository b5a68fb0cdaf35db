import { readExposition } from '../deploy/exposition.ts';
import { metricsText } from '../deploy/scrape.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { until } from '../system/until.ts';
import { goOffline } from './going-offline.ts';
import { FetchConversation } from './grpc.ts';
import { Clock, type InProcess, startOn } from './in-process.ts';
import { fetchOne, type RestMeta, type RestServer } from './rest.ts';
import { noReply, ScriptedProber } from './scripted-prober.ts';

/** Address of the server that never answers. */
export const ADDRESS = '127.0.0.1:27015';
const MINUTE_S = 60;

/** The `_meta` object in the answer to a fetch that inserted no server. */
export const nothingInserted: RestMeta = { auto_inserted: 0, inserted_servers: [], invalid_servers: [] };

/** Returns the array `servers` in the body of a REST fetch of one server. */
export function groups(address = ADDRESS) {
  return [{ game_id: 'csgo', servers: [address] }];
}

/** Returns the gRPC request for one server. */
export function request(address = ADDRESS) {
  return { servers: [{ gameId: 'csgo', servers: [address] }] };
}

/** A service in the test process, with a prober that reports that the server at ADDRESS does not answer. */
export class UnansweredServer {
  readonly clock = new Clock();
  readonly #directory = scratchDirectory();
  #service: InProcess | undefined;
  #prober: ScriptedProber | undefined;
  /**
   * Number of leases (orders to probe a server) that all earlier probers received. Each call of `start` creates a new
   * prober, whose own count begins at 0.
   */
  #leasedBefore = 0;

  /** Starts the service and the prober. `more` adds settings. If the service was started before, its data is kept. */
  async start(more: Record<string, string> = {}): Promise<void> {
    const env = { GSQ_PROBE_INTERVAL: '1m', GSQ_UNPROVEN_PROBES: '3', ...more };
    this.#service = await startOn(this.#directory, env, this.clock.now);
    this.#prober = new ScriptedProber(this.service.internal);
    this.prober.find('csgo', ADDRESS, noReply);
  }

  async stop(): Promise<void> {
    this.#leasedBefore += this.prober.leases.length;
    this.prober.leave();
    await this.service.stop();
  }

  get service(): InProcess {
    if (!this.#service) throw new Error('the service was not started');
    return this.#service;
  }

  get prober(): ScriptedProber {
    if (!this.#prober) throw new Error('the prober was not started');
    return this.#prober;
  }

  /** Returns how often the core has requested a probe since the beginning of the test. */
  probes(): number {
    return this.#leasedBefore + this.prober.leases.length;
  }

  /** Fetches the server over REST. */
  readonly look = (): Promise<RestServer> => fetchOne(this.service.http, 'csgo', ADDRESS);

  /** Returns the value of a metric of the core. If `status` is given, returns the value with this `status` label. */
  async metric(name: string, status?: string): Promise<number | undefined> {
    const samples = await this.#samples();
    return samples.find(each => each.name === name && each.labels.get('status') === status)?.value;
  }

  /** Returns the number of servers that the core tracks. */
  async tracked(): Promise<number> {
    const samples = await this.#samples();
    return samples.filter(({ name }) => name === 'gsq_servers').reduce((sum, { value }) => sum + value, 0);
  }

  /** Advances the clock until the server is offline and the core no longer tracks it. */
  async giveUp(): Promise<RestServer> {
    await goOffline(this.clock, this.look);
    await until(
      'nothing to be tracked',
      () => this.tracked(),
      count => count === 0,
    );
    return this.look();
  }

  /**
   * Fetches the server every `everyMinutes` minutes for `hours` hours. Returns the distinct statuses and all `_meta`
   * objects.
   */
  async fetchFor(hours: number, everyMinutes = 1): Promise<{ statuses: string[]; metas: RestMeta[] }> {
    const statuses = new Set<string>();
    const metas: RestMeta[] = [];
    for (let hour = 0; hour < hours; hour++) {
      const conversation = new FetchConversation(this.service.grpc);
      const ask = async (): Promise<RestServer> => {
        conversation.send({ id: 1, fetch: request() });
        const { fetched } = await conversation.next();
        const { [ADDRESS]: server, _meta } = JSON.parse(String(fetched?.body));
        metas.push(_meta);
        return server;
      };
      for (let minute = 0; minute < 60; minute += everyMinutes) {
        this.clock.advance(everyMinutes * MINUTE_S);
        const { _updater } = await ask();
        statuses.add(`${_updater.status} ${_updater.reason}`);
        const isDue = Date.parse(_updater.next_probe_at ?? '') <= this.clock.ms;
        const isTried = (now: RestServer) => now._updater.last_probe_at !== _updater.last_probe_at;
        if (isDue) await until('the try to be over', ask, isTried);
      }
      await conversation.end();
    }
    return { statuses: [...statuses], metas };
  }

  async #samples() {
    return readExposition(await metricsText(this.service.coreOps)).samples;
  }
}
