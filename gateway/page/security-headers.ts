import { hash } from 'node:crypto';
import { LOADER } from './assets.ts';

/**
 * Directives of the Content-Security-Policy (CSP 3) for all pages, including the pages that other sites can embed. They
 * forbid resources from other hosts.
 */
const COMMON = [
  "default-src 'none'",
  // The hash in `script-src` allows the inline script LOADER. Because of 'strict-dynamic', LOADER may load further
  // scripts of this gateway. Browsers that do not know 'strict-dynamic' use 'self' instead.
  `script-src 'sha256-${hash('sha256', LOADER, 'base64')}' 'strict-dynamic' 'self'`,
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
];

/** HTTP headers of every HTML page. They forbid other sites to show the page in a frame. */
export const pageSecurity: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [...COMMON, "form-action 'self'", "frame-ancestors 'none'"].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** HTTP security headers of the pages that other sites can embed in a frame (`/embed/…`). */
export const embedSecurity: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [...COMMON, "form-action 'none'", 'frame-ancestors *'].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};
