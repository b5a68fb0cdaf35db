import type { RawStatus } from '../answers/raw-status.ts';
import { withoutSecret } from '../answers/redact.ts';
import { isAboutCredentials, notListed, senseless, UnknowableError } from '../answers/unknowable-error.ts';
import { field, text } from '../answers/untyped-values.ts';
import { type Directory, type DirectoryQuestion, onlyHost } from './directory.ts';
import type { Kept } from './directory-host.ts';
import { arrayOf, leadingCount, portOf, readJson, statusOf, toldCounts } from './entry-values.ts';
import { LoadingCache } from './loading-cache.ts';

/**
 * Time for which gsq reuses the server list of one account, ms. The web service of the game SCP: Secret Laboratory asks
 * clients to wait some tens of seconds between two requests for the same account.
 */
const FRESH_MS = 60_000;
/** Time for which gsq does not use an API key again after the service refused it, ms. */
const REFUSED_MS = 600_000;
const MAX_ACCOUNTS = 1_000;
/**
 * Maximum length of an error text from the public server list of the game SCP: Secret Laboratory, in UTF-16 code units.
 * gsq truncates a longer error text.
 */
const MAX_ERROR = 100;
/** Matches a rich text tag of Unity, such as `<color=red>` or `</b>`. */
const MARKUP = /<\/?[a-z]+(=[^<>]*)?>/gi;

/**
 * The public server list of the game "SCP: Secret Laboratory". A request returns all servers of one account and needs
 * the API key of the account. Source: `protocols/scpsl.js` of gamedig 5.3.3.
 */
export const scpsl: Directory = {
  name: 'scpsl',
  kind: 'look-up',
  protocols: ['scpsl'],
  origins: ['https://api.scpslgame.com'],
  perMinute: 60,
  open(parts) {
    const host = onlyHost(parts);
    const accounts = new LoadingCache<Kept<unknown[]>>({
      now: parts.now,
      keepMs: () => FRESH_MS,
      keepFailureMs: error => (isAboutCredentials(error) ? REFUSED_MS : 0),
      max: MAX_ACCOUNTS,
    });
    return async question => {
      const { secret: key, options } = question;
      const account = options.get('account_id') ?? '';
      if (!/^\d{1,20}$/.test(account)) {
        throw new UnknowableError(
          'needs-option',
          'the option account_id must hold the number of the account',
        );
      }
      if (!key)
        throw new UnknowableError('needs-credentials', 'the API key of the account is needed as secret');
      const { value } = await accounts.get(`${account} ${key}`, async () => {
        host.claimReservation(account);
        return host.fetch({ path: pathOf(account, key), explain, read: body => read(body, key) });
      });
      return find(value, question);
    };
  },
};

function pathOf(id: string, key: string): string {
  const wanted = { lo: 'false', players: 'true', info: 'true', version: 'true', online: 'true' };
  return `/serverinfo.php?${new URLSearchParams({ id, key, ...wanted })}`;
}

function explain(status: number): UnknowableError | undefined {
  return status === 401
    ? new UnknowableError('needs-credentials', 'the API key is refused: HTTP 401')
    : undefined;
}

/**
 * Returns the game servers in a reply with HTTP status 200. Throws `UnknowableError` if the reply contains an error
 * text. The API key is removed from this text.
 */
function read(body: Buffer, key: string): unknown[] {
  const reply = readJson(body);
  if (field(reply, 'Success') === true) return arrayOf(field(reply, 'Servers'));
  const said = field(reply, 'Error');
  if (typeof said !== 'string' || said === '') throw new TypeError('neither success nor error');
  // Removes the API key before truncating the error text. The other order could cut the key in two, and `withoutSecret`
  // would not find the remaining half.
  const error = withoutSecret(said, key).slice(0, MAX_ERROR);
  if (/rate limit/i.test(error))
    throw new UnknowableError('directory-unavailable', `scpsl: ${error}`, FRESH_MS);
  throw new UnknowableError('needs-credentials', `the account or its API key is refused: ${error}`);
}

function find(servers: readonly unknown[], { options, ports }: DirectoryQuestion): RawStatus {
  const id = options.get('server_id');
  const server = servers.find(each =>
    id === undefined ? ports.includes(portOf(field(each, 'Port'))) : String(field(each, 'ID')) === id,
  );
  if (server === undefined || field(server, 'Online') === false) throw notListed('scpsl');
  const status = statusOf(() => readServer(server));
  if (!status) throw senseless('scpsl');
  return status;
}

function readServer(server: unknown): RawStatus {
  const [players, places] = text(server, 'Players').split('/');
  return {
    name: Buffer.from(text(server, 'Info'), 'base64').toString('utf8').replace(MARKUP, ''),
    ...toldCounts(leadingCount(players), leadingCount(places)),
    version: text(server, 'Version'),
  };
}
