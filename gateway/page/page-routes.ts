/**
 * The routes of pages and images, all with the method GET. Values of `shows`:
 * - `servers`: the route shows data of tracked servers. With GSQ_PAGE=off, it returns an error.
 * - `documents`: the route shows documentation, which everybody can see.
 */
export const pageRoutes = [
  { name: 'list_page', path: '/', shows: 'servers' },
  { name: 'server_page', path: '/server/{game_id}/{server}', shows: 'servers' },
  { name: 'status_page', path: '/status', shows: 'servers' },
  { name: 'docs_page', path: '/docs', shows: 'documents' },
  { name: 'badge', path: '/badge/{game_id}/{server}.svg', shows: 'servers' },
  { name: 'card', path: '/card/{game_id}/{server}.svg', shows: 'servers' },
  { name: 'card_png', path: '/card/{game_id}/{server}.png', shows: 'servers' },
  { name: 'embed', path: '/embed/{game_id}/{server}', shows: 'servers' },
  { name: 'oembed', path: '/oembed', shows: 'servers' },
] as const;

/** An HTTP route of the gateway that serves a page or an image. */
export type PageRoute = (typeof pageRoutes)[number];
/** The name of a page or an image in metrics and logs. */
export type PageName = PageRoute['name'];
