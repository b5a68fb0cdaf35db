// Text components. https://minecraft.wiki/w/Text_component_format

const MAX_DEPTH = 32;
const MAX_LENGTH = 4096;

/** A text component (a string, an object, or a list of them) as plain text; what is not text is left out. */
export function flattenChat(component: unknown): string {
  const parts: string[] = [];
  let length = 0;
  const admitted = (part: unknown, depth: number): void => {
    if (depth > MAX_DEPTH || length > MAX_LENGTH) return;
    if (typeof part === 'string') {
      parts.push(part);
      length += part.length;
    } else if (Array.isArray(part)) {
      for (const item of part) admitted(item, depth + 1);
    } else if (typeof part === 'object' && part !== null) {
      if ('text' in part) admitted(part.text, depth + 1);
      // There is no dictionary here: the key's own fallback, or the key.
      else if ('fallback' in part) admitted(part.fallback, depth + 1);
      else if ('translate' in part) admitted(part.translate, depth + 1);
      if ('extra' in part) admitted(part.extra, depth + 1);
    }
  };
  admitted(component, 0);
  return parts.join('').slice(0, MAX_LENGTH);
}
