import { html as preactHtml } from 'htm/preact';
import type { VNode } from 'preact';

/**
 * Template tag for HTML. Values in a template are text or other templates. The renderer escapes texts, so a text can
 * never become markup. The views use this tag on the server and in the browser.
 */
export const html = preactHtml as (strings: TemplateStringsArray, ...values: unknown[]) => VNode;
