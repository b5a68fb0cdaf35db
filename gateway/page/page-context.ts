import type { PublicPaths } from '../json/public-paths.ts';
import type { Assets } from './assets.ts';

/** Settings and data that every page needs. */
export interface PageContext {
  /**
   * True if callers without a token may see the tracked servers (GSQ_PAGE=on). If false, every page about servers
   * answers with status 404.
   */
  isOn: boolean;
  publicPaths: PublicPaths;
  assets: Assets;
  /** Who runs the service (GSQ_CONTACT). Shown at the bottom of each page. */
  contact: string | undefined;
}
