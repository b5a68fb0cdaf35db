import { ServiceError } from '../../proto/service-error.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Mounted } from '../http/listener.ts';
import type { BaseUrl } from '../json/base-url.ts';
import type { Assets } from '../page/assets.ts';
import type { CoreReads } from '../page/core-reads.ts';
import type { GameNames } from '../page/game-names.ts';
import { embedSecurity } from '../page/security-headers.ts';
import { type HistoryAnswer, rangeQuery } from '../page/views/history-answers.ts';
import type { ShownServer } from '../page/views/shown-server.ts';
import { badgeSvg } from './badge.ts';
import { type CardFacts, cardSvg } from './card.ts';
import { isTheme, pngLook, svgLook, type Theme } from './card-look.ts';
import {
  type Embed,
  type EmbedContext,
  EmbedEndpoint,
  IMAGE_HEADERS,
  PNG_HEADERS,
} from './embed-endpoint.ts';
import { frameHtml } from './frame.ts';
import { oembedJson, wantedServer } from './oembed.ts';

import type { Rasteriser } from './png/rasteriser.ts';

/** Dependencies of the badges, cards, frames and oEmbed answers. */
export interface EmbedsContext extends EmbedContext {
  reads: CoreReads;
  games: GameNames;
  assets: Assets;
  /** Draws PNG images. */
  rasteriser: Rasteriser;
  baseUrl: BaseUrl;
  now: () => number;
}

/** Returns the endpoints of everything that other sites show: badges, cards, the frame and oEmbed. */
export function embedsOf(context: EmbedsContext): Mounted[] {
  const embeds = new Embeds(context);
  const mount = (
    path: string,
    name: string,
    headers: Readonly<Record<string, string>>,
    build: (exchange: Exchange) => Promise<Embed>,
  ): Mounted => ({
    route: { method: 'GET', path },
    endpoint: new EmbedEndpoint(name, context, headers, build),
  });
  const frame = { ...embedSecurity, 'Content-Type': 'text/html; charset=utf-8' };
  const json = { 'Content-Type': 'application/json; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  return [
    mount('/badge/{game_id}/{server}.svg', 'badge', IMAGE_HEADERS, exchange => embeds.badge(exchange)),
    mount('/card/{game_id}/{server}.svg', 'card', IMAGE_HEADERS, exchange => embeds.card(exchange)),
    mount('/card/{game_id}/{server}.png', 'card_png', PNG_HEADERS, exchange => embeds.cardPng(exchange)),
    mount('/embed/{game_id}/{server}', 'embed', frame, exchange => embeds.frame(exchange)),
    mount('/oembed', 'oembed', json, exchange => embeds.oembed(exchange)),
  ];
}

/** Builds the embeds. Rejects with ServiceError if the server is not tracked or a parameter is wrong. */
class Embeds {
  readonly #context: EmbedsContext;

  constructor(context: EmbedsContext) {
    this.#context = context;
  }

  async badge(exchange: Exchange): Promise<Embed> {
    const { answer, cacheControl } = await this.#readServer(exchange, exchange.target.variables);
    const label = exchange.target.query.get('label') ?? undefined;
    return { body: badgeSvg(answer, label), cacheControl };
  }

  async card(exchange: Exchange): Promise<Embed> {
    const { facts, theme, cacheControl } = await this.#readCard(exchange);
    return { body: cardSvg(facts, svgLook(theme)), cacheControl };
  }

  async cardPng(exchange: Exchange): Promise<Embed> {
    const { facts, theme, cacheControl } = await this.#readCard(exchange);
    return { body: await this.#context.rasteriser.draw(cardSvg(facts, pngLook(theme))), cacheControl };
  }

  async frame(exchange: Exchange): Promise<Embed> {
    const { answer, cacheControl } = await this.#readServer(exchange, exchange.target.variables);
    return { body: frameHtml(answer, await this.#gameOf(answer), this.#context.assets), cacheControl };
  }

  async oembed(exchange: Exchange): Promise<Embed> {
    const { query } = exchange.target;
    const base = this.#context.baseUrl.baseFor(exchange);
    const variables = wantedServer(query, base);
    const { answer, cacheControl } = await this.#readServer(exchange, variables);
    return { body: oembedJson(answer, base ?? '', query), cacheControl };
  }

  async #readCard(exchange: Exchange): Promise<{ facts: CardFacts; theme: Theme; cacheControl: string }> {
    const { variables, query } = exchange.target;
    const theme = query.get('theme') ?? 'auto';
    if (!isTheme(theme)) {
      throw new ServiceError('QUERY_1', 'The query is not valid: theme is none of light, dark and auto.', {
        violations: [{ path: 'theme', message: 'is none of light, dark and auto' }],
      });
    }
    const { answer: server, cacheControl } = await this.#readServer(exchange, variables);
    const { from } = rangeQuery('day', this.#context.now());
    const history = await this.#context.reads.read<HistoryAnswer>(
      exchange,
      'history',
      { variables, query: { from, step: '1800s' } },
      true,
    );
    return { facts: { server, game: await this.#gameOf(server), history }, theme, cacheControl };
  }

  #readServer(exchange: Exchange, variables: Readonly<Record<string, string>>) {
    return this.#context.reads.readCached<ShownServer>(exchange, 'server', { variables });
  }

  async #gameOf({ game_id: gameId }: ShownServer): Promise<string> {
    return (await this.#context.games.load()).get(gameId) ?? gameId;
  }
}
