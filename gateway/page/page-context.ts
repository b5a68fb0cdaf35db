import type { PublicPaths } from '../json/public-paths.ts';
import type { Assets } from './assets.ts';
import type { PageBudget } from './page-budget.ts';

/** Objects and settings that all pages need. */
export interface PageContext {
  /**
   * True if callers without a token may see the tracked servers (GSQ_PAGE=on). If false, every page that shows tracked
   * servers is answered with 404.
   */
  isOn: boolean;
  publicPaths: PublicPaths;
  assets: Assets;
  /** Limits the work for pages and images. */
  budget: PageBudget;
  /** Who runs the service (GSQ_CONTACT). Shown at the bottom of each page. */
  contact: string | undefined;
}
