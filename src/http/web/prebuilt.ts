import type { WebFile } from './web-file'

/** The web app as `npm run compile` puts it into the executable. From source there is none: it is bundled then. */
export const prebuilt: WebFile[] | undefined = undefined
