import type { WebFile } from './web-file'

/** The bundled web app, set by `npm run compile` in the executable. Run from source, it is bundled at the first visit. */
export const prebuilt: WebFile[] | undefined = undefined
