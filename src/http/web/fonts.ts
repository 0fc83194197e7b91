import type { WebFile } from './web-file'

export const FONT_PATTERN = '*.woff2'
const FONT_URL = /url\("?([^")]+\.woff2)"?\)/g

/**
 * Makes files of the fonts that a stylesheet names, as paths within packages. Bun would write them into the stylesheet, and
 * every visitor would load the characters of all scripts before seeing anything.
 */
export async function extractFonts(styles: string, folder: string): Promise<{ styles: string; fonts: WebFile[] }> {
  const paths = [...new Set([...styles.matchAll(FONT_URL)].map((match) => match[1]!))]
  const fonts = new Map(await Promise.all(paths.map(async (path) => [path, await readFont(path, folder)] as const)))
  return {
    styles: styles.replace(FONT_URL, (_, path: string) => `url(/assets/${fonts.get(path)!.name})`),
    fonts: [...fonts.values()],
  }
}

async function readFont(path: string, folder: string): Promise<WebFile> {
  const content = await Bun.file(Bun.resolveSync(path, folder)).bytes()
  const name = path.replace(/^.*\/|\.woff2$/g, '')
  const hash = Bun.hash(content).toString(36).padStart(8, '0').slice(0, 8)
  return { name: `${name}-${hash}.woff2`, type: 'font/woff2', base64: Buffer.from(content).toString('base64') }
}
