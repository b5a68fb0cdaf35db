import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';

/**
 * Renders an SVG image as text. SVG is XML, and XML text must not contain `]]>` (XML 1.0, 2.4). `render` does not
 * escape `]]>`, because it is made for HTML, so this function escapes it.
 */
export function renderSvg(image: VNode): string {
  return render(image).replaceAll(']]>', ']]&gt;');
}
