import { credentialHeaders } from '../contract/rest.ts';
import { ask, type Question } from '../gateway/ask.ts';
import { A2sServer, player } from '../system/a2s-server.ts';
import { Stack } from '../system/stack.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { GrpcPort } from './grpc-port.ts';

const CORES = 3;
const HOSTS = 12;
/**
 * Maximum time until both services report the final status of all servers, in milliseconds. It is long enough for a
 * busy machine.
 */
const SETTLED_MS = 120_000;

const env = { GSQ_PAGE: 'on' };

/** Status and body of an HTTP answer. Values that depend on the time of a probe or of the request are masked. */
export interface Masked {
  status: number | string;
  text: string;
}

/**
 * Masks the values that differ between two services with the same servers: times, ages, the durations of probes
 * (`ping`), and the random ids of requests. All other bytes of the text stay unchanged.
 */
export function maskTimes(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?/g, 'TIME')
    .replaceAll(/\{"seconds":"?\d+"?,"nanos":\d+\}/g, '"TIME"')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/"(ping|age_seconds|ageSeconds|schedule_lag_seconds)":[\d.]+/g, '"$1":0');
}

/**
 * Two test services that track the same fake game servers: one core with the embedded store, and three cores with one
 * Valkey.
 */
export class TwoStacks {
  readonly embedded: Stack;
  readonly cluster: Stack;
  /**
   * The public gRPC ports of all cores: first the core with the embedded store, after it the three cores that share one
   * Valkey.
   */
  readonly publicPorts: readonly GrpcPort[];
  /**
   * The internal gRPC ports of all cores: first the core with the embedded store, after it the three cores that share
   * one Valkey.
   */
  readonly internalPorts: readonly GrpcPort[];
  /**
   * Fake game servers that answer probes, each on its own host. All servers of a host belong to the same core.
   * Therefore the test uses several hosts, so that every core gets servers.
   */
  readonly answering: readonly A2sServer[];
  /** Addresses of silent servers, at which nothing answers. Their hosts differ from those of the fake game servers. */
  readonly silent = Array.from({ length: HOSTS }, (_, i) => `127.0.78.${i + 1}:27015`);

  private constructor(embedded: Stack, cluster: Stack, answering: readonly A2sServer[]) {
    this.embedded = embedded;
    this.cluster = cluster;
    const cores = [embedded, cluster].flatMap(stack => stack.processes('core'));
    this.publicPorts = GrpcPort.ofCores(cores, 'GSQ_GRPC_ADDR');
    this.internalPorts = GrpcPort.ofCores(cores, 'GSQ_INTERNAL_ADDR');
    this.answering = answering;
  }

  static async start(): Promise<TwoStacks> {
    const answering = await Promise.all(
      Array.from({ length: HOSTS }, (_, i) => {
        const players = Array.from({ length: i % 5 }, (_player, at) => player(`P${at}`, at, 60 * at));
        return A2sServer.start({ name: `Server ${i % 4} of the tests`, players }, `127.0.77.${i + 1}`);
      }),
    );
    const stacks = await Promise.allSettled([
      Stack.start({ store: 'embedded', env }),
      Stack.start({ store: 'valkey', cores: CORES, env }),
    ]);
    const [embedded, cluster] = stacks;
    if (embedded.status === 'fulfilled' && cluster.status === 'fulfilled')
      return new TwoStacks(embedded.value, cluster.value, answering);
    for (const stack of stacks) if (stack.status === 'fulfilled') await stack.value.stop();
    for (const server of answering) server.stop();
    throw new Error('a stack did not start', { cause: stacks });
  }

  /** The addresses of all servers: the fake game servers that answer, and the silent servers. */
  get addresses(): string[] {
    return [...this.answering.map(({ address }) => address), ...this.silent];
  }

  /**
   * Sends the same REST request to both services. Returns the answer of the service with one core, and then that of the
   * cluster.
   */
  async ask(question: Question): Promise<[Masked, Masked]> {
    const headers = { ...credentialHeaders(bootstrap), 'Accept-Encoding': 'gzip', ...question.headers };
    const [embedded, cluster] = await Promise.all(
      [this.embedded, this.cluster].map(async ({ http }) => {
        const { status, text } = await ask(http, { ...question, headers });
        return { status, text: maskTimes(text) };
      }),
    );
    return [embedded as Masked, cluster as Masked];
  }

  /** Fetches servers of the game csgo from both services over REST. */
  fetch(servers: readonly string[]): Promise<[Masked, Masked]> {
    const body = JSON.stringify({ servers: [{ game_id: 'csgo', servers }] });
    return this.ask({
      method: 'POST',
      path: '/v1/post/fetch',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
  }

  /**
   * Inserts the same servers in both test services (one with a single core, one with several cores). Waits until each
   * service reports the final status (online or offline) of each server.
   */
  async settle(): Promise<void> {
    await until(
      'servers that are online or offline in both stacks',
      async () => (await this.fetch(this.addresses)).map(({ text }) => text),
      answers =>
        answers.every(
          text =>
            text.split('"status":"online"').length === this.answering.length + 1 &&
            text.split('"status":"offline"').length === this.silent.length + 1,
        ) && answers[0] === answers[1],
      SETTLED_MS,
    );
  }

  async stop(): Promise<void> {
    for (const port of [...this.publicPorts, ...this.internalPorts]) port.close();
    await Promise.all([this.embedded.stop(), this.cluster.stop()]);
    for (const server of this.answering) server.stop();
  }
}
