import type { ServerAccess } from '../../proto/game-access.ts';

/** The credentials and options that gamedig gets beside an address, under gamedig's own option names. */
export interface GamedigAccess {
  readonly options: Readonly<Record<string, string | boolean>>;
  /** The secret of the server, which must never be shown; empty if it has none. */
  readonly secret: string;
}

type Translate = (access: ServerAccess) => GamedigAccess['options'];

/** Palworld's API knows only this user. */
const PALWORLD_USER = 'admin';
/** A Trackmania server has three accounts; this one has the fewest rights. */
const NADEO_USER = 'User';

/**
 * How to translate a server's secret and options, by protocol. Option names never come from outside, because
 * gamedig reads `host`, `protocol` and others from its options too. Source: GAMES_LIST.md and `protocols/` of
 * gamedig 5.3.3.
 */
const TRANSLATIONS: ReadonlyMap<string, Translate> = new Map<string, Translate>([
  // gamedig puts the token into a URL without encoding it.
  ['farmingsimulator', ({ secret }) => ({ token: encodeURIComponent(secret) })],
  ['nadeo', ({ secret, options }) => ({ login: options.get('username') ?? NADEO_USER, password: secret })],
  [
    'palworld',
    ({ secret, options }) => ({ username: options.get('username') ?? PALWORLD_USER, password: secret }),
  ],
  [
    'satisfactory',
    ({ secret, options }) => ({
      rejectUnauthorized: options.get('verify_tls') === 'yes',
      ...(secret !== '' && { token: secret }),
    }),
  ],
  ['terraria', ({ secret }) => ({ ...(secret !== '' && { token: secret }) })],
]);

/** Translates a server's secret and options for gamedig; undefined if the protocol takes neither. */
export function gamedigAccess(protocol: string, access: ServerAccess): GamedigAccess | undefined {
  const options = TRANSLATIONS.get(protocol)?.(access);
  return options && { options, secret: access.secret };
}
