import { useState } from 'react'
import type { DraftVersion } from '../../contract/drafts'
import { useOtherVersions } from '../data/draft-list'
import { deleteOtherVersion, swapVersion } from '../data/draft-sync'
import { getSubject } from '../data/drafts'
import { nameFiles } from '../data/files'
import { toEditorText } from '../data/mentions'
import { Button } from '../parts/button'
import { Dialog } from '../parts/dialog'
import { notifyProblem } from '../parts/notices'
import { Time } from '../parts/time'

/** Tells that another device saved a different text, and shows it. */
export function OtherVersion({ draftKey }: { draftKey: string }) {
  const subjectId = getSubject(draftKey)
  const [other] = useOtherVersions(subjectId)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <p className="composer-other meta" role="status">
        {other && (
          <>
            Another device saved a different text here.{' '}
            <button type="button" className="text-button" onClick={() => setOpen(true)}>
              Show the other version
            </button>
          </>
        )}
      </p>
      {isOpen && subjectId && other && (
        <VersionDialog subjectId={subjectId} other={other} close={() => setOpen(false)} />
      )}
    </>
  )
}

interface DialogProps {
  subjectId: string
  other: DraftVersion
  close(): void
}

function VersionDialog({ subjectId, other, close }: DialogProps) {
  async function take() {
    close()
    try {
      await swapVersion(subjectId, other)
    } catch (error) {
      notifyProblem("Couldn't use the other version.", error)
    }
  }
  function discard() {
    close()
    void deleteOtherVersion(subjectId, other)
  }
  return (
    <Dialog title="The other version" onClose={close}>
      <p className="meta">
        Saved by another device <Time at={other.updated_at} />. If you use it, the text you have now becomes the other
        version.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled with the keyboard. */}
      <section className="version-text" tabIndex={0} aria-label="Text of the other version">
        {other.title && <b>{other.title}</b>}
        {nameFiles(toEditorText(other.content_markdown))}
      </section>
      <div className="row end">
        <Button onClick={discard}>Discard</Button>
        <Button variant="primary" onClick={() => void take()}>
          Use this one
        </Button>
      </div>
    </Dialog>
  )
}
