/**
 * Games that Steam can start with a `steam://connect` URL. The started game joins the server whose address is in the
 * URL (https://developer.valvesoftware.com/wiki/Steam_browser_protocol).
 */
const STEAM = new Set([
  ...['ahl', 'alienswarm', 'arma3', 'ase', 'asrd', 'blackmesa', 'conanexiles', 'counterstrike15'],
  ...['counterstrike16', 'counterstrike2', 'cscz', 'csgo', 'css', 'dayz', 'dod', 'dods', 'fof'],
  ...['garrysmod', 'hl2d', 'hld', 'hlds', 'hlof', 'imic', 'insurgency', 'insurgencysandstorm'],
  ...['killingfloor2', 'l4d', 'l4d2', 'nmrih', 'ricochet', 'rust', 'sdtd', 'svencoop', 'synergy'],
  ...['teamfortress2', 'tf2c', 'tfc', 'theship', 'unturned', 'valheim', 'zps'],
]);

/**
 * The URL scheme of each game whose client registers its own scheme. In the URL, the address of the server follows the
 * scheme.
 */
const SCHEMES: ReadonlyMap<string, string> = new Map([
  ['gta5f', 'fivem://connect/'],
  ['rdr2r', 'redm://connect/'],
  ['gtasam', 'samp://'],
  ['mumble', 'mumble://'],
]);

/**
 * Returns the URL that starts a game and joins a server. `connect`: address that players join, `host:port`. Returns
 * undefined if the game has no such URL; players then copy the address.
 */
export function joinLink(gameId: string, connect: string): string | undefined {
  // A game server can send any text as its address. Makes no join link if the address contains other characters than
  // letters, digits and `_ . : [ ] -`.
  if (!/^[\w.:[\]-]+$/.test(connect)) return undefined;
  const scheme = STEAM.has(gameId) ? 'steam://connect/' : SCHEMES.get(gameId);
  return scheme === undefined ? undefined : scheme + connect;
}
