import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';

/** Renders an SVG image. `]]>` must not occur in the text of an XML document (XML 1.0, 2.4), but HTML allows it. */
export function renderSvg(image: VNode): string {
  return render(image).replaceAll(']]>', ']]&gt;');
}
