/** The few parts of a DOM that reading a page needs, as types: the real one comes from the page reader in the thread. */
export interface PageNode {
  nodeType: number;
  nodeName: string;
  textContent: string | null;
  childNodes: ArrayLike<PageNode>;
}

export interface PageElement extends PageNode {
  children: ArrayLike<PageElement>;
  ownerDocument: PageDocument;
  appendChild(child: PageNode): unknown;
  getAttribute(name: string): string | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): ArrayLike<PageElement>;
  closest(selector: string): PageElement | null;
  remove(): void;
}

export interface PageDocument {
  documentElement: PageElement | null;
  createElement(name: string): PageElement;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): ArrayLike<PageElement>;
}

export const isElement = (node: PageNode): node is PageElement => node.nodeType === 1;
export const isText = (node: PageNode): boolean => node.nodeType === 3;
