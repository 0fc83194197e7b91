import { type RefObject, useEffect, useRef, useSyncExternalStore } from 'react'

/** A target for files that are dropped or pasted: an editor, or the form of a picture. */
export interface DropTarget {
  /** What happens to the files, as in “Drop files to add them to your comment”. */
  action: string
  add(files: File[]): void
}

interface Registered {
  element: RefObject<HTMLElement | null>
  target: { current: DropTarget }
}

/** The last one is the latest: it was opened or focused after the others. */
let registered: readonly Registered[] = []
const listeners = new Set<() => void>()
/** Files that were dropped where there was no target. They are kept for the editor that is being opened. */
let waitingFiles: File[] = []

function change(next: readonly Registered[]) {
  registered = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Takes the files that are dropped on this element, or anywhere on the page if no other target is more recent. */
export function useDropTarget(element: RefObject<HTMLElement | null>, target: DropTarget | undefined) {
  const latest = useRef(target)
  latest.current = target
  const isEnabled = target !== undefined
  useEffect(() => {
    if (!isEnabled) return
    const entry = { element, target: latest as { current: DropTarget } }
    const moveToEnd = () => change([...registered.filter((other) => other !== entry), entry])
    moveToEnd()
    const { current } = element
    current?.addEventListener('focusin', moveToEnd)
    if (waitingFiles.length > 0) latest.current!.add(waitingFiles.splice(0))
    return () => {
      current?.removeEventListener('focusin', moveToEnd)
      change(registered.filter((other) => other !== entry))
    }
  }, [element, isEnabled])
}

/** Keeps files for the target that is opened next. */
export function holdFiles(files: File[]) {
  waitingFiles = files
}

/** The target that an element is in, else the latest one. */
export const findDropTarget = (within?: Node): DropTarget | undefined =>
  (registered.findLast(({ element }) => within && element.current?.contains(within)) ?? registered.at(-1))?.target
    .current

/** The latest target. */
export const useLatestDropTarget = (): DropTarget | undefined =>
  useSyncExternalStore(subscribe, () => registered.at(-1))?.target.current

/** The files of a drop or a paste, and whether there were folders, which cannot be read as files. */
export function listFiles(data: DataTransfer): { files: File[]; hasFolders: boolean } {
  const items = [...data.items].filter(({ kind }) => kind === 'file')
  const isFolder = (item: DataTransferItem) => item.webkitGetAsEntry?.()?.isDirectory === true
  const files = items.filter((item) => !isFolder(item)).flatMap((item) => item.getAsFile() ?? [])
  return { files, hasFolders: items.some(isFolder) }
}

/** Whether the files of a paste are meant. Office programs add a picture of the copied text, which is not. */
export const isFilePaste = ({ types }: DataTransfer) =>
  types.includes('Files') && !(types.includes('text/plain') && types.includes('text/html'))
