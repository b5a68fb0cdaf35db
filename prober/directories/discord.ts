import type { RawStatus } from '../answers/raw-status.ts';
import { UnknowableError } from '../answers/unknowable-error.ts';
import { field, list, text } from '../answers/untyped-values.ts';
import { type Directory, onlyHost } from './directory.ts';
import type { Kept } from './directory-host.ts';
import { countOf, fieldOf, largestOf, lengthOf, namedPlayers, readJson, toldCounts } from './entry-values.ts';
import { LoadingCache } from './loading-cache.ts';

const FRESH_MS = 30_000;
const MAX_GUILDS = 1_000;
/**
 * Error codes in the body of Discord's replies. Source:
 * <https://discord.com/developers/docs/topics/opcodes-and-status-codes#json>.
 */
const UNKNOWN_GUILD = 10_004;
const WIDGET_DISABLED = 50_004;

/**
 * The API of Discord, used as a public server list in which each guild is a game server. The status of a guild is read
 * from the public widget of the guild. Source: <https://discord.com/developers/docs/resources/guild#get-guild-widget>.
 */
export const discord: Directory = {
  name: 'discord',
  kind: 'look-up',
  protocols: ['discord'],
  origins: ['https://discord.com'],
  perMinute: 60,
  open(parts) {
    const host = onlyHost(parts);
    const guilds = new LoadingCache<Kept<RawStatus>>({
      now: parts.now,
      keepMs: () => FRESH_MS,
      max: MAX_GUILDS,
    });
    return async ({ options }) => {
      const guild = options.get('guild') ?? '';
      if (!/^\d{1,20}$/.test(guild)) {
        throw new UnknowableError('needs-option', 'the option guild must hold the number of the guild');
      }
      const path = `/api/v10/guilds/${guild}/widget.json`;
      const { value } = await guilds.get(guild, async last => {
        host.claimReservation(guild);
        return host.fetch({ path, last, explain, read });
      });
      return value;
    };
  },
};

/**
 * Converts an error reply of Discord about one guild (a Discord server) into an `UnknowableError`. Returns undefined
 * for other replies. The status is not enough to decide: a 404 can also mean that the URL of Discord's API has changed.
 * Therefore checks the code in the body.
 */
function explain(status: number, body: Buffer): UnknowableError | undefined {
  const code = fieldOf(body, 'code');
  if (status === 404 && code === UNKNOWN_GUILD) {
    return new UnknowableError('not-listed', 'Discord knows no guild of this id');
  }
  if (status === 403 && code === WIDGET_DISABLED) {
    const detail = 'the widget of the guild is off; its owner can enable it in the settings of the server';
    return new UnknowableError('directory-refused', detail);
  }
  return undefined;
}

function read(body: Buffer): RawStatus {
  const widget = readJson(body);
  const name = text(widget, 'name');
  if (!name) throw new TypeError('not a widget');
  return {
    name,
    // Discord sends the number of present members, and a list of at most 100 of them. gsq uses the larger of the number
    // and the length of the list.
    ...toldCounts(largestOf(countOf(widget, 'presence_count'), lengthOf(widget, 'members')), undefined),
    playerList: namedPlayers(list(widget, 'members').map(member => field(member, 'username'))),
  };
}
