import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';

/**
 * Renders an SVG image as text. Also escapes `]]>`, which XML text must not contain (XML 1.0, 2.4); `render` escapes
 * only what HTML requires.
 */
export function renderSvg(image: VNode): string {
  return render(image).replaceAll(']]>', ']]&gt;');
}
