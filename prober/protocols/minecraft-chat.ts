// Converts the formatted texts of Minecraft ("text components") to plain text:
// https://minecraft.wiki/w/Text_component_format

const MAX_DEPTH = 32;
const MAX_LENGTH = 4096;

/**
 * Converts a text component to plain text. A component is a string, an object, or a list of components. Ignores other
 * values.
 */
export function flattenChat(component: unknown): string {
  const parts: string[] = [];
  let length = 0;
  const append = (part: unknown, depth: number): void => {
    if (depth > MAX_DEPTH || length > MAX_LENGTH) return;
    if (typeof part === 'string') {
      parts.push(part);
      length += part.length;
    } else if (Array.isArray(part)) {
      for (const item of part) append(item, depth + 1);
    } else if (typeof part === 'object' && part !== null) {
      if ('text' in part) append(part.text, depth + 1);
      // gsq has no translations of Minecraft's texts. It therefore uses the fallback text, or the translation key.
      else if ('fallback' in part) append(part.fallback, depth + 1);
      else if ('translate' in part) append(part.translate, depth + 1);
      if ('extra' in part) append(part.extra, depth + 1);
    }
  };
  append(component, 0);
  return parts.join('').slice(0, MAX_LENGTH);
}
