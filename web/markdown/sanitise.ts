/** The second wall: whatever HTML comes, only these elements and attributes reach the page, as nodes and never as text. */
import DOMPurify from "dompurify";

const tags =
  "p br strong em b i u del code pre a ul ol li blockquote h3 h4 h5 h6 hr table thead tbody tr th td img input sub sup kbd mark".split(
    " ",
  );
const attributes = [
  "href",
  "title",
  "target",
  "rel",
  "src",
  "alt",
  "class",
  "start",
  "align",
  "type",
  "checked",
  "disabled",
];

/** A language, or a colour of code. */
const className = /^(?:language-[\w+#.-]{1,32}|hljs-[\w -]{1,64})$/;

/** One for all: it has a trusted type of its own, and that can be made once. */
const purify = DOMPurify(window);

purify.addHook("uponSanitizeAttribute", (_node, data) => {
  if (data.attrName === "class" && !className.test(data.attrValue)) data.keepAttr = false;
  if (data.attrName === "type" && data.attrValue !== "checkbox") data.keepAttr = false;
  if (data.attrName === "src" && !/^(data:image\/(png|jpeg|gif|webp|avif);base64,|blob:)/i.test(data.attrValue)) {
    data.keepAttr = false;
  }
});
purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer");
  }
  // The only input there is: the box of a list of tasks, for show.
  if (node.tagName === "INPUT") {
    if (node.getAttribute("type") !== "checkbox") node.remove();
    node.setAttribute("disabled", "");
    node.setAttribute("aria-label", node.hasAttribute("checked") ? "done" : "to do");
  }
});

export function sanitise(html: string): DocumentFragment {
  return purify.sanitize(html, {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: attributes,
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|blob:|data:image\/(?:png|jpeg|gif|webp|avif);base64,)/i,
    // All but addresses: they need not look like one.
    ADD_URI_SAFE_ATTR: attributes.filter((name) => name !== "href" && name !== "src"),
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}

/** What the highlighter made of code: coloured spans and nothing else. */
export function sanitiseHighlighted(html: string): DocumentFragment {
  return purify.sanitize(html, { ALLOWED_TAGS: ["span"], ALLOWED_ATTR: ["class"], RETURN_DOM_FRAGMENT: true });
}
