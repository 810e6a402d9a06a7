function text = thrown(text)
  % THROWN  What a control function threw last; thrown(text) sets it.
  persistent last
  if nargin > 0, last = text; end
  text = last;
end
