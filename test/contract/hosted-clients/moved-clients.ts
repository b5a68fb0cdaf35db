import { readFileSync } from 'node:fs';
import { type GatewayUnderTest, runGateway } from '../../gateway/running-gateway.ts';
import { Authority } from '../../system/certificates.ts';
import { hearMetrics } from '../../system/hearing.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { stackDefaults } from '../../system/stack-settings.ts';
import { Clock, type InProcess, startInProcess } from '../in-process.ts';
import type { Credentials, Group } from '../rest.ts';
import { ScriptedProber } from '../scripted-prober.ts';
import { createToken, type TestToken } from '../tokens.ts';
import { DiscordBot } from './discord-bot.ts';
import type { ClientOptions } from './fetch-call.ts';
import { ForumPlugin } from './forum-plugin.ts';
import type { ShownRow } from './shown-row.ts';
import { WordPressPlugin } from './wordpress-plugin.ts';

/** Public host name of the gateway. The certificate of the gateway contains this name. */
export const NAME = 'gsq.example.com';

/**
 * Simulates a client that was written for a hosted service with the same REST API as gsq. The client now sends its
 * requests to gsq.
 */
export interface MovedClient {
  show(servers: readonly Group[]): Promise<ShownRow[]>;
}

/**
 * Test fixture: gsq, and clients that were written for a hosted service with the same REST API. The clients are set up
 * for gsq as docs/recipes/migrate.md says. The test controls the clock and the prober of gsq.
 */
export class MovedClients {
  readonly clock: Clock;
  readonly service: InProcess;
  readonly prober: ScriptedProber;
  readonly token: TestToken;
  readonly #tls: GatewayUnderTest;
  readonly #ca: Buffer;

  private constructor(
    clock: Clock,
    service: InProcess,
    token: TestToken,
    tls: GatewayUnderTest,
    authority: Authority,
  ) {
    this.clock = clock;
    this.service = service;
    this.prober = new ScriptedProber(service.internal);
    this.token = token;
    this.#tls = tls;
    this.#ca = readFileSync(authority.path);
  }

  /** Starts the gsq service of this test fixture. `env` adds settings. */
  static async start(env: Record<string, string> = {}): Promise<MovedClients> {
    const clock = new Clock();
    const service = await startInProcess({ GSQ_PROBE_INTERVAL: '1m', ...env }, clock.now);
    const authority = new Authority(scratchDirectory());
    const { certificate, key } = authority.issue('rest', [NAME, new URL(ForumPlugin.API).hostname]);
    const settings = { ...stackDefaults, GSQ_HTTP_TLS_CERT: certificate, GSQ_HTTP_TLS_KEY: key };
    const tls = await runGateway(service.internal, settings, {}, clock.now);
    return new MovedClients(clock, service, await createToken(service.internal), tls, authority);
  }

  async stop(): Promise<void> {
    this.prober.leave();
    await hearMetrics('gateway', this.#tls.ops);
    await this.#tls.running.drain();
    await this.service.stop();
  }

  /**
   * Returns the options of a simulated PHP client that connects to gsq. In place of DNS, they direct requests for two
   * hosts to the gateway of gsq: NAME, and the host that is hard-coded in the forum plugin.
   */
  options(credentials: Credentials = this.token): ClientOptions {
    const routes = {
      [`${NAME}:443`]: this.#tls.http,
      [`${new URL(ForumPlugin.API).hostname}:443`]: this.#tls.http,
    };
    const { token, tier, email } = credentials;
    return { token, tier, email, routes, ca: this.#ca };
  }

  wordPress(credentials?: Credentials): WordPressPlugin {
    return new WordPressPlugin(`https://${NAME}`, this.options(credentials));
  }

  forum(credentials?: Credentials): ForumPlugin {
    return new ForumPlugin(this.options(credentials), `https://${NAME}`);
  }

  /**
   * Returns a simulated Discord bot that uses gsq. `path`: path at the end of the base URL of the bot. With the path
   * `/v1`, the requests of the bot fail.
   */
  bot(credentials: Credentials = this.token, path = ''): DiscordBot {
    return new DiscordBot(`http://${this.service.http}${path}`, credentials);
  }

  /** Returns all clients with their names. Each client is set up as docs/recipes/migrate.md says. */
  all(credentials?: Credentials): [string, MovedClient][] {
    return [
      ['the WordPress plugin', this.wordPress(credentials)],
      ['the forum plugin', this.forum(credentials)],
      ['the Discord bot', this.bot(credentials)],
    ];
  }
}
