function text = version()
  % VERSION  Of taut, such as '0.3.0'.
  text = taut_mex('version');
end
