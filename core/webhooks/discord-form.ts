import type { Status } from '../servers/server-record.ts';

/** What a Discord message shows about a server. */
export interface DiscordView {
  /** What happened to the server, for people, such as `is offline (no_reply)`. Written by gsq, not by the server. */
  headline: string;
  /** Display name of the game, from the catalog. */
  game: string;
  /** Canonical address of the server. */
  address: string;
  status: Status;
  /** Name of the server; empty if the server has never answered. */
  name: string;
  map: string;
  players: number | undefined;
  maxPlayers: number | undefined;
  /** Time of the server's last answer, Unix ms; 0 if the server has never answered. */
  updatedAt: number;
}

/**
 * Limits of Discord for one message. Source:
 * https://discord.com/developers/docs/resources/message#embed-object-embed-limits
 */
export const DISCORD_LIMITS = {
  title: 256,
  description: 4096,
  fields: 25,
  fieldName: 256,
  fieldValue: 1024,
  /** Maximum number of characters in all embeds of one message together. */
  total: 6000,
} as const;

/**
 * Maximum length of a text from a game server in a Discord message, in UTF-16 code units. Escaping at most doubles the
 * length, so each text stays within the limits of Discord.
 */
const MOST_TEXT = 120;
const BAR_LENGTH = 20;
const COLOURS: Readonly<Record<Status, number>> = {
  online: 0x2e_a0_43,
  offline: 0xd7_3a_49,
  pending: 0x8b_94_9e,
};

/**
 * Characters that are removed from the texts of game servers: control characters, and characters without a width or
 * with an effect on the direction of the text.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;
/**
 * Characters that are escaped: they have a meaning in Discord's Markdown, or a mention, a link or an emoji begins with
 * them.
 */
const MARKDOWN = /[\\`*_~|<>()[\]{}#+\-.!:@/]/g;

/**
 * Returns the body of a request that creates or edits a Discord message: JSON in UTF-8. Texts of game servers appear as
 * plain text, whatever they contain, and cannot mention anybody.
 */
export function discordMessage(view: DiscordView): Buffer {
  const { game, address, status, map, updatedAt } = view;
  const fields = [
    { name: 'Players', value: playersText(view), inline: false },
    ...(map === '' ? [] : [{ name: 'Map', value: plainText(map), inline: true }]),
    { name: 'Game', value: plainText(game), inline: true },
    { name: 'Address', value: `\`${address.replaceAll('`', '')}\``, inline: true },
    ...(updatedAt > 0
      ? [{ name: 'Updated', value: `<t:${Math.floor(updatedAt / 1000)}:R>`, inline: true }]
      : []),
  ];
  const message = {
    content: '',
    embeds: [
      {
        title: plainText(view.name === '' ? address : view.name),
        description: plainText(view.headline),
        color: COLOURS[status],
        fields,
      },
    ],
    allowed_mentions: { parse: [] },
  };
  return Buffer.from(JSON.stringify(message));
}

function playersText({ status, players, maxPlayers }: DiscordView): string {
  if (status !== 'online' || players === undefined) return '–';
  if (maxPlayers === undefined || maxPlayers === 0) return String(players);
  const full = Math.round(Math.min(players / maxPlayers, 1) * BAR_LENGTH);
  return `${players} / ${maxPlayers} \`${'█'.repeat(full)}${'░'.repeat(BAR_LENGTH - full)}\``;
}

/**
 * Returns a text that Discord shows as plain text: without invisible characters, cut to MOST_TEXT, and with Markdown
 * escaped.
 */
function plainText(text: string): string {
  const visible = text.toWellFormed().replace(INVISIBLE, '').replace(/\s+/g, ' ').trim();
  // Cutting can leave half of a surrogate pair at the end of the text. `toWellFormed` replaces it.
  const short = visible.length > MOST_TEXT ? `${visible.slice(0, MOST_TEXT - 1).toWellFormed()}…` : visible;
  // Replaces an empty text by a dash, because Discord refuses an empty title, description or field.
  return short === '' ? '–' : short.replace(MARKDOWN, '\\$&');
}
