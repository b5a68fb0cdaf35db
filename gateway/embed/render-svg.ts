import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';

/**
 * Renders an SVG image. Escapes `]]>`, because HTML allows this text, but an XML document must not contain it (XML 1.0,
 * 2.4).
 */
export function renderSvg(image: VNode): string {
  return render(image).replaceAll(']]>', ']]&gt;');
}
