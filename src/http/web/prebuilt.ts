/** Reads the bundled web app; set where the program itself is bundled or compiled. Run from source, it is bundled at the first visit. */
export const prebuilt: (() => Promise<WebFile[]>) | undefined = undefined

/** One file of the web app, as it can be stored in JSON. */
export interface WebFile {
  name: string
  type: string
  base64: string
}
