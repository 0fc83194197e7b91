import { useEffect } from 'react'
import { Link } from 'wouter'
import type { ListedDraft } from '../../../contract/drafts'
import { useDrafts } from '../../data/draft-list'
import { discardDraft, getShownVersion, refreshDrafts } from '../../data/draft-sync'
import { getDraftLink, getTextKey } from '../../data/drafts'
import { nameFiles } from '../../data/files'
import { toEditorText } from '../../data/mentions'
import { cancelUploads } from '../../data/uploads'
import { Button } from '../../parts/button'
import { copyText } from '../../parts/copy-link'
import { Empty, Loading, Skeleton } from '../../parts/states'
import { Time } from '../../parts/time'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'

/** What the member has begun to write, on any device. */
export default function DraftsPage() {
  const drafts = useDrafts()
  // No event says that a subject has got another name.
  useEffect(() => void refreshDrafts(), [])
  return (
    <main className="page" id="main">
      <PageTitle title="Drafts" />
      {!drafts && (
        <Loading what="drafts">
          <Skeleton />
          <Skeleton width="80%" />
        </Loading>
      )}
      {drafts?.length === 0 && (
        <Empty title="No drafts" action={<Link href={paths.newPost()}>Write a post</Link>}>
          Texts that you have not sent yet are kept here, on all your devices. Only you can see them.
        </Empty>
      )}
      {drafts && drafts.length > 0 && (
        <ul className="drafts">
          {drafts.map((draft) => (
            <DraftRow key={draft.subject_id} draft={draft} />
          ))}
        </ul>
      )}
    </main>
  )
}

function DraftRow({ draft }: { draft: ListedDraft }) {
  const link = getDraftLink(draft)
  const text = getText(draft)
  const label = link?.label ?? 'No longer available'
  return (
    <li className="draft-row">
      <p className="meta row">
        <span className="draft-subject">{label}</span>
        <Time at={draft.updated_at} />
      </p>
      <p className="draft-line">{getFirstLine(nameFiles(text))}</p>
      <div className="row">
        {link ? (
          <Link className="button" href={link.path} aria-label={`Open: ${label}`}>
            Open
          </Link>
        ) : (
          <Button onClick={() => void copyText(text)}>Copy text</Button>
        )}
        <Button variant="plain" label={`Discard: ${label}`} onClick={() => discard(draft)}>
          Discard
        </Button>
      </div>
    </li>
  )
}

function discard(draft: ListedDraft) {
  cancelUploads(getTextKey(draft.subject_id))
  void discardDraft(draft)
}

function getText(draft: ListedDraft): string {
  const { title, content_markdown } = getShownVersion(draft)
  return toEditorText([title, content_markdown].filter(Boolean).join('\n'))
}

const getFirstLine = (text: string) => text.trim().split('\n', 1)[0]
