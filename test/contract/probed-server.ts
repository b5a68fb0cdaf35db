import type { ServerResult__Output } from '../../proto/generated/gsq/v1/ServerResult.ts';
import { until } from '../system/until.ts';
import { fetchServers, resultFor } from './grpc.ts';
import { Clock, type InProcess, startInProcess } from './in-process.ts';
import { fetchOne, type RestServer } from './rest.ts';
import { online, ScriptedProber } from './scripted-prober.ts';

/** Address of a game server that does not exist. Tests choose the results of the probes of this address. */
export const ADDRESS = '127.0.0.1:27015';

/**
 * Test fixture: a core and a gateway in the test process, and one tracked server at ADDRESS. A scripted prober reports
 * the probe results that the test sets.
 */
export class ProbedServer {
  readonly clock: Clock;
  readonly service: InProcess;
  readonly prober: ScriptedProber;

  private constructor(clock: Clock, service: InProcess) {
    this.clock = clock;
    this.service = service;
    this.prober = new ScriptedProber(service.internal);
  }

  /**
   * Starts the core, the gateway and a scripted prober. `env` adds settings. The default probe interval is one minute.
   */
  static async start(env: Record<string, string> = {}): Promise<ProbedServer> {
    const clock = new Clock();
    return new ProbedServer(clock, await startInProcess({ GSQ_PROBE_INTERVAL: '1m', ...env }, clock.now));
  }

  async stop(): Promise<void> {
    this.prober.leave();
    await this.service.stop();
  }

  /** Fetches the server at ADDRESS over REST. */
  readonly rest = (): Promise<RestServer> => fetchOne(this.service.http, 'csgo', ADDRESS);

  /** Fetches the server at ADDRESS over gRPC. */
  async grpc(): Promise<ServerResult__Output> {
    const request = { servers: [{ gameId: 'csgo', servers: [ADDRESS] }] };
    return resultFor(await fetchServers(this.service.grpc, request), 'csgo', ADDRESS);
  }

  /**
   * Fetches the server at ADDRESS over REST until it satisfies `holds`. `what` describes this condition in the error
   * after a timeout.
   */
  becomes(what: string, holds: (server: RestServer) => boolean): Promise<RestServer> {
    return until(what, this.rest, holds);
  }

  /** Reports the server at ADDRESS as online with three players, and waits until REST shows it as online. */
  becomesOnline(): Promise<RestServer> {
    this.prober.find('csgo', ADDRESS, online(3));
    return this.becomes('online', ({ _updater }) => _updater.status === 'online');
  }
}
