import { ServiceError } from '../../proto/service-error.ts';
import type { BaseUrl } from '../json/base-url.ts';
import type { Assets } from '../page/assets.ts';
import type { CoreReads } from '../page/core-reads.ts';
import type { GameNames } from '../page/game-names.ts';
import { embedSecurity } from '../page/security-headers.ts';
import { type HistoryAnswer, rangeQuery } from '../page/views/history-answers.ts';
import type { ShownServer } from '../page/views/shown-server.ts';
import type { Visit } from '../page/visit.ts';
import { badgeSvg } from './badge.ts';
import { type CardFacts, cardSvg } from './card.ts';
import { isTheme, pngLook, svgLook, type Theme } from './card-look.ts';
import { type Embed, type EmbedContext, embedAnswer, IMAGE_HEADERS, PNG_HEADERS } from './embed-answer.ts';
import { frameHtml } from './frame.ts';
import { oembedJson, wantedServer } from './oembed.ts';
import type { Rasteriser } from './png/rasteriser.ts';

/** Dependencies of the badges, cards, frames and oEmbed answers. */
export interface EmbedsContext extends EmbedContext {
  reads: CoreReads;
  games: GameNames;
  assets: Assets;
  /** Draws the PNG images of server cards. */
  rasteriser: Rasteriser;
  baseUrl: BaseUrl;
  now: () => number;
}

/** Returns the functions that answer requests for embeds, which other sites show: badges, cards, frames and oEmbed. */
export function embedsOf(context: EmbedsContext) {
  const embeds = new Embeds(context);
  const answer = (headers: Readonly<Record<string, string>>, build: (visit: Visit) => Promise<Embed>) =>
    embedAnswer(context, headers, build);
  const frame = { ...embedSecurity, 'Content-Type': 'text/html; charset=utf-8' };
  const json = { 'Content-Type': 'application/json; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  return {
    badge: answer(IMAGE_HEADERS, visit => embeds.badge(visit)),
    card: answer(IMAGE_HEADERS, visit => embeds.card(visit)),
    card_png: answer(PNG_HEADERS, visit => embeds.cardPng(visit)),
    embed: answer(frame, visit => embeds.frame(visit)),
    oembed: answer(json, visit => embeds.oembed(visit)),
  };
}

/**
 * Builds the embeds of a server, which other sites show: badges, cards, frames and oEmbed answers. Rejects with
 * ServiceError if the server is not tracked or a parameter is wrong.
 */
class Embeds {
  readonly #context: EmbedsContext;

  constructor(context: EmbedsContext) {
    this.#context = context;
  }

  async badge(visit: Visit): Promise<Embed> {
    const { answer, cacheControl } = await this.#readServer(visit, visit.target.variables);
    const label = visit.target.query.get('label') ?? undefined;
    return { body: badgeSvg(answer, label), cacheControl };
  }

  async card(visit: Visit): Promise<Embed> {
    const { facts, theme, cacheControl } = await this.#readCard(visit);
    return { body: cardSvg(facts, svgLook(theme)), cacheControl };
  }

  async cardPng(visit: Visit): Promise<Embed> {
    const { facts, theme, cacheControl } = await this.#readCard(visit);
    return { body: await this.#context.rasteriser.draw(cardSvg(facts, pngLook(theme))), cacheControl };
  }

  async frame(visit: Visit): Promise<Embed> {
    const { answer, cacheControl } = await this.#readServer(visit, visit.target.variables);
    return { body: frameHtml(answer, await this.#gameOf(answer), this.#context.assets), cacheControl };
  }

  async oembed(visit: Visit): Promise<Embed> {
    const { query } = visit.target;
    const base = this.#context.baseUrl.baseFor(visit.host);
    const variables = wantedServer(query, base);
    const { answer, cacheControl } = await this.#readServer(visit, variables);
    return { body: oembedJson(answer, base ?? '', query), cacheControl };
  }

  async #readCard(visit: Visit): Promise<{ facts: CardFacts; theme: Theme; cacheControl: string }> {
    const { variables, query } = visit.target;
    const theme = query.get('theme') ?? 'auto';
    if (!isTheme(theme)) {
      throw new ServiceError('QUERY_1', 'The query is not valid: theme is none of light, dark and auto.', {
        violations: [{ path: 'theme', message: 'is none of light, dark and auto' }],
      });
    }
    const { answer: server, cacheControl } = await this.#readServer(visit, variables);
    const { from } = rangeQuery('day', this.#context.now());
    const history = await this.#context.reads.read<HistoryAnswer>(
      visit,
      'history',
      { variables, query: { from, step: '1800s' } },
      true,
    );
    return { facts: { server, game: await this.#gameOf(server), history }, theme, cacheControl };
  }

  #readServer(visit: Visit, variables: Readonly<Record<string, string>>) {
    return this.#context.reads.readCached<ShownServer>(visit, 'server', { variables });
  }

  async #gameOf({ game_id: gameId }: ShownServer): Promise<string> {
    return (await this.#context.games.load()).get(gameId) ?? gameId;
  }
}
